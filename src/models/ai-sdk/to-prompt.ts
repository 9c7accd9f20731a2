import type { JsonObject, JsonValue, Message, ModelRequest, Part } from '../../core/index.js';
import { isJsonObject } from '../../core/index.js';
import { needsWrapping, toObjectSchema, wrapInput } from '../scalar-inputs.js';
import type { AiSdkCall } from './sdk-model.js';

/** The words of a provider about a part, which come back to it and to no other. */
export const OWN_WORDS = 'aiSdk';

/** The one who reads a request, and writes the reply. */
export interface Reader {
  readonly provider: string;
  /** Tools whose inputs are no objects: a provider sees `{ value }`. */
  readonly wrapped: ReadonlySet<string>;
}

/** Says how a provider sees the tools of a request. */
export function readerOf({ tools }: ModelRequest, provider: string): Reader {
  const wrapped = tools.filter(({ inputSchema }) => needsWrapping(inputSchema));
  return { provider, wrapped: new Set(wrapped.map(({ name }) => name)) };
}

/** A request as a model of the AI SDK takes it. */
export function toCall(request: ModelRequest, reader: Reader, signal: AbortSignal): AiSdkCall {
  const { system, messages, tools, maxOutputTokens, outputSchema } = request;
  const prompt = messages.toArray().map((message) => promptMessage(message, reader));
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
    abortSignal: signal,
  };
}

function promptMessage({ role, content }: Message, reader: Reader): object {
  switch (role) {
    case 'system':
      return {
        role: 'system',
        content: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      };
    case 'user':
      return { role: 'user', content: content.flatMap(userPart) };
    case 'model':
      return { role: 'assistant', content: content.flatMap((part) => assistantPart(part, reader)) };
    case 'tool':
      return { role: 'tool', content: content.flatMap(toolPart) };
  }
}

function userPart(part: Part): readonly object[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'media') return [filePart(part)];
  return part.type === 'data' ? [{ type: 'text', text: JSON.stringify(part.data) }] : [];
}

const DATA_URL = /^data:([^;,]*)[^,]*,(.*)$/s;

/** A file by its address, or its bytes in base64. */
function filePart({ url, contentType }: Part & { type: 'media' }): object {
  const [, type = '', bytes] = DATA_URL.exec(url) ?? [];
  const mediaType = contentType ?? (type === '' ? 'application/octet-stream' : type);
  return { type: 'file', mediaType, data: bytes ?? new URL(url) };
}

function assistantPart(part: Part, { provider, wrapped }: Reader): readonly object[] {
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
      return [{ ...filePart(part), ...words }];
    case 'data':
    case 'tool-response':
      return [];
  }
}

/** Words that another provider gave mean nothing to this one. */
function ownWords(
  metadata: JsonObject | undefined,
  provider: string,
): { readonly providerOptions?: JsonObject } {
  const said = metadata?.[OWN_WORDS];
  if (!isJsonObject(said) || said['provider'] !== provider || !isJsonObject(said['options'])) return {};
  return { providerOptions: said['options'] };
}

function toolPart(part: Part): readonly object[] {
  if (part.type !== 'tool-response') return [];
  const { ref, name, output, isError, content = [] } = part;
  const files = content.flatMap(resultFile);
  const result =
    files.length > 0 && isError !== true
      ? { type: 'content', value: [{ type: 'text', text: textOf(output) }, ...files] }
      : resultOf(output, isError === true);
  return [{ type: 'tool-result', toolCallId: ref, toolName: name, output: result }];
}

/** A file beside the output of a tool, where its bytes are at hand. */
function resultFile(part: Part): readonly object[] {
  if (part.type !== 'media') return [];
  const [, type = '', data] = DATA_URL.exec(part.url) ?? [];
  return data === undefined ? [] : [{ type: 'media', mediaType: part.contentType ?? type, data }];
}

function textOf(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function resultOf(output: JsonValue, isError: boolean): object {
  const kind = isError ? 'error-' : '';
  return typeof output === 'string'
    ? { type: `${kind}text`, value: output }
    : { type: `${kind}json`, value: output };
}
