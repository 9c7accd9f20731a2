import type { JsonObject, JsonValue, Message, ModelRequest, Part } from '../../core/index.js';
import { bareText, isJsonObject } from '../../core/index.js';
import { needsWrapping, toObjectSchema, wrapInput } from '../scalar-inputs.js';
import { messageFile, resultFile } from './files.js';
import type { AiSdkCall, AiSdkVersion } from './sdk-model.js';

/** Metadata key for a part's provider data, which is sent back only to the same provider. */
export const OWN_WORDS = 'aiSdk';

/** The provider that a request is converted for. */
export interface Reader {
  readonly provider: string;
  readonly version: AiSdkVersion;
  /** Names of the tools whose input is not an object. Providers receive it as `{ value }`. */
  readonly wrapped: ReadonlySet<string>;
}

/** Returns the information about a provider that is needed to convert a request for it. */
export function readerOf({ tools }: ModelRequest, provider: string, version: AiSdkVersion): Reader {
  const wrapped = tools.filter(({ inputSchema }) => needsWrapping(inputSchema));
  return { provider, version, wrapped: new Set(wrapped.map(({ name }) => name)) };
}

/** Converts a request to the format that an AI SDK model expects. */
export function toCall(request: ModelRequest, reader: Reader, signal: AbortSignal): AiSdkCall {
  const { system, messages, tools, maxOutputTokens, outputSchema } = request;
  const prompt = messages.toArray().flatMap((message) => promptMessages(message, reader));
  return {
    prompt: system === undefined ? prompt : [{ role: 'system', content: system }, ...prompt],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        name,
        description,
        inputSchema: toObjectSchema(inputSchema),
      })),
    }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(outputSchema !== undefined && { responseFormat: { type: 'json', schema: outputSchema } }),
    ...reasoningOf(request, reader),
    ...(reader.provider.endsWith(KEEPS_REPLIES) && { providerOptions: { openai: { store: false } } }),
    abortSignal: signal,
  };
}

/**
 * Suffix of providers that use the Responses API. By default, the API stores replies for a month, and later
 * requests refer to them by id. However, a person may answer later than that, or may change the content.
 * Therefore, everything is sent each time, including encrypted reasoning, and the provider is asked not to
 * store anything.
 */
const KEEPS_REPLIES = '.responses';

/** Returns the effort and thinking settings. Versions before 4 do not support them. */
function reasoningOf({ effort, thinking }: ModelRequest, { version }: Reader): Pick<AiSdkCall, 'reasoning'> {
  if (version !== 'v4') return {};
  if (thinking === 'off') return { reasoning: 'none' };
  return effort === undefined ? {} : { reasoning: effort };
}

function promptMessages(message: Message, reader: Reader): readonly object[] {
  const { role, content } = message;
  switch (role) {
    case 'system': {
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return [{ role: 'system', content: text }];
    }
    case 'user':
      return [{ role: 'user', content: content.flatMap((part) => userPart(part, reader)) }];
    case 'model':
      return [{ role: 'assistant', content: content.flatMap((part) => assistantPart(part, reader)) }];
    case 'tool':
      return toolMessages(content, reader);
  }
}

/**
 * Suffix of providers that use chat completions. Their tool results do not support files, and a package would
 * send the bytes as text, so files are sent in a user message instead.
 */
const RESULTS_ARE_TEXT = '.chat';

function toolMessages(content: readonly Part[], reader: Reader): readonly object[] {
  if (!reader.provider.endsWith(RESULTS_ARE_TEXT))
    return [{ role: 'tool', content: content.flatMap((part) => toolPart(part, reader)) }];
  const results = content.filter((part) => part.type === 'tool-response');
  const files = results.flatMap(({ name, content: beside = [] }) =>
    beside.flatMap((part) =>
      part.type === 'media'
        ? [{ type: 'text', text: `File returned by ${name}:` }, messageFile(part, reader.version)]
        : [],
    ),
  );
  const told = results.map(({ content: _files, ...result }) => result);
  return [
    { role: 'tool', content: told.flatMap((part) => toolPart(part, reader)) },
    ...(files.length === 0 ? [] : [{ role: 'user', content: files }]),
  ];
}

function userPart(part: Part, { version }: Reader): readonly object[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'media') return [messageFile(part, version)];
  return part.type === 'data' ? [{ type: 'text', text: JSON.stringify(part.data) }] : [];
}

function assistantPart(part: Part, { provider, version, wrapped }: Reader): readonly object[] {
  const words = ownWords(part.metadata, provider);
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...words }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...words }];
    case 'tool-request': {
      const input = wrapped.has(part.name) ? wrapInput(part.input) : part.input;
      return [{ type: 'tool-call', toolCallId: part.ref, toolName: part.name, input, ...words }];
    }
    case 'media':
      return [{ ...messageFile(part, version), ...words }];
    case 'data':
    case 'tool-response':
      return [];
  }
}

/**
 * Returns the provider data of a part if it comes from this provider. Data from other providers cannot be
 * used.
 */
function ownWords(
  metadata: JsonObject | undefined,
  provider: string,
): { readonly providerOptions?: JsonObject } {
  const said = metadata?.[OWN_WORDS];
  if (!isJsonObject(said) || said['provider'] !== provider || !isJsonObject(said['options'])) return {};
  return { providerOptions: said['options'] };
}

function toolPart(part: Part, { version }: Reader): readonly object[] {
  if (part.type !== 'tool-response') return [];
  const { ref, name, output, isError, content = [] } = part;
  const files = content.flatMap((one) => resultFile(one, version));
  const result =
    files.length > 0 && isError !== true
      ? { type: 'content', value: [{ type: 'text', text: bareText(output) }, ...files] }
      : resultOf(output, isError === true);
  return [{ type: 'tool-result', toolCallId: ref, toolName: name, output: result }];
}

function resultOf(output: JsonValue, isError: boolean): object {
  const kind = isError ? 'error-' : '';
  return typeof output === 'string'
    ? { type: `${kind}text`, value: output }
    : { type: `${kind}json`, value: output };
}
