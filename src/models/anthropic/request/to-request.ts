import type { JsonObject, Message, ModelRequest, ProviderTool } from '../../../core/index.js';
import { isJsonObject, present, toWellFormedJson } from '../../../core/index.js';
import { hasBudget } from '../known-models.js';
import { withCacheControl } from './cache-control.js';
import { strictForm } from './strict-form.js';
import type { BlockContext } from './to-blocks.js';
import { toBlocks } from './to-blocks.js';
import { TOOL_SEARCH, toolsInFull, withSearches } from './tool-search.js';
import type { WireTools } from './wire-tools.js';

/**
 * How a schema is passed to a model. `held`: enforced by the API, also for the inputs of tool calls. `asked`:
 * requested from the API and also described as text. `told`: only described as text.
 */
export type Schemas = 'held' | 'asked' | 'told';

/** A message in the format of the provider. */
interface WireMessage extends JsonObject {
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
}

export interface RequestOptions {
  readonly model: string;
  /** Output token limit for requests that do not set one. */
  readonly maxOutputTokens: number;
  readonly promptCaching: boolean;
  readonly unsignedReasoning: boolean;
  /** Default: `told`. */
  readonly schemas?: Schemas;
  /**
   * Whether to send only the first tools in full if there are many, and let the model search for the rest.
   * Default: false.
   */
  readonly searchesTools?: boolean;
  /** Index of the first message whose thinking is sent. Default: 0, so that all thinking is sent. */
  readonly reasoningFrom?: number;
  /** The reply so far, if the provider has paused it. */
  readonly paused?: WireMessage;
  /** Additional properties for the request, such as `thinking`. */
  readonly extraBody?: JsonObject;
}

const NO_TEXT: JsonObject = { type: 'text', text: '(no text)' };

/** Returns the body of a streaming request. It still has to be validated with `checkRequest`. */
export function toRequest(request: ModelRequest, tools: WireTools, options: RequestOptions): JsonObject {
  const { format, words } = outputMembers(request, options);
  const inFull = options.searchesTools === true ? toolsInFull(request.tools.length) : request.tools.length;
  const searches = inFull < request.tools.length;
  const definitions = tools.definitions(options.schemas === 'held', inFull);
  const offered = new Set(definitions.map(({ name }) => (typeof name === 'string' ? name : '')));
  const { system, messages } = toMessages(
    words === undefined ? request : { ...request, system: `${request.system ?? ''}\n\n${words}`.trim() },
    { tools, unsignedReasoning: options.unsignedReasoning },
    options,
    (blocks) => withSearches(blocks, offered, searches),
  );
  const body: JsonObject = {
    model: options.model,
    max_tokens: request.maxOutputTokens ?? options.maxOutputTokens,
    stream: true,
    ...(system !== '' && { system: [{ type: 'text', text: system }] }),
    ...toolMembers(
      [...(searches ? [TOOL_SEARCH] : []), ...definitions, ...providerDefinitions(request.providerTools)],
      messages,
    ),
    ...(request.mustCall !== undefined && { tool_choice: { type: 'tool', name: request.mustCall } }),
    messages,
    ...settingMembers(request, options, format),
    ...options.extraBody,
  };
  const sendable = toWellFormedJson(options.promptCaching ? withCacheControl(body, request.cacheFor) : body);
  return isJsonObject(sendable) ? sendable : body;
}

/** Minimum and default token budgets for thinking, for models that require a budget. */
const LEAST_BUDGET = 1_024;
const USUAL_BUDGET = 16_000;

/**
 * Returns the schema of the reply as an output format, as text, or as both. Text is left out only if the API
 * enforces the schema.
 */
function outputMembers(
  { outputSchema }: ModelRequest,
  { schemas = 'told' }: RequestOptions,
): { readonly format?: JsonObject; readonly words?: string } {
  if (outputSchema === undefined) return {};
  const form = schemas === 'told' ? undefined : strictForm(outputSchema);
  const isHeld = form !== undefined && schemas === 'held';
  return {
    ...(form !== undefined && { format: { type: 'json_schema', schema: form.schema } }),
    ...(!isHeld && {
      words: `Your final reply must be JSON that matches this schema, with no other text:\n${JSON.stringify(outputSchema)}`,
    }),
  };
}

/**
 * Returns the settings for effort and thinking in the format of the API. If they are unset, the model
 * decides.
 */
function settingMembers(
  { effort, thinking, maxOutputTokens }: ModelRequest,
  options: RequestOptions,
  format: JsonObject | undefined,
): JsonObject {
  const most = (maxOutputTokens ?? options.maxOutputTokens) - 1;
  const on: JsonObject = hasBudget(options.model)
    ? { type: 'enabled', budget_tokens: Math.max(LEAST_BUDGET, Math.min(USUAL_BUDGET, most)) }
    : { type: 'adaptive', display: 'summarized' };
  return {
    ...(thinking !== undefined && { thinking: thinking === 'on' ? on : { type: 'disabled' } }),
    ...((effort !== undefined || format !== undefined) && {
      output_config: present({ effort, format }),
    }),
  };
}

/**
 * The oldest supported version of each provider tool. Newer versions also require code execution for a
 * search.
 */
const PROVIDER_TYPES: Readonly<Record<ProviderTool['name'], string>> = {
  web_search: 'web_search_20250305',
  web_fetch: 'web_fetch_20250910',
  code_execution: 'code_execution_20250825',
};

/** Returns the definitions of provider tools in the format of the API. */
function providerDefinitions(tools: readonly ProviderTool[] = []): readonly JsonObject[] {
  return tools.map(({ name, maxUses, domains }) => ({
    type: PROVIDER_TYPES[name],
    name,
    ...present({ max_uses: maxUses, allowed_domains: domains }),
  }));
}

/**
 * Returns the tool definitions. If the history contains tool calls, the API requires definitions even if no
 * tools are available any more. In that case, the model is not allowed to call them.
 */
function toolMembers(definitions: readonly JsonObject[], messages: readonly WireMessage[]): JsonObject {
  if (definitions.length > 0) return { tools: definitions };
  const names = new Set(
    messages.flatMap(({ content }) => content.filter(isToolUse).map(({ name }) => name ?? '')),
  );
  if (names.size === 0) return {};
  const input_schema = { type: 'object' };
  const tools = [...names].map((name) => ({ name, description: 'No longer available.', input_schema }));
  return { tools, tool_choice: { type: 'none' } };
}

function toMessages(
  request: ModelRequest,
  context: BlockContext,
  { reasoningFrom = 0, paused }: RequestOptions,
  sendable: (blocks: readonly JsonObject[]) => readonly JsonObject[],
): { system: string; messages: readonly WireMessage[] } {
  const system: string[] = request.system === undefined ? [] : [request.system];
  const turns = new Turns();
  let index = 0;
  for (const message of request.messages) {
    if (message.role === 'system') system.push(systemText(message));
    else
      turns.add(
        message.role === 'model' ? 'assistant' : 'user',
        sendable(blocksOf(message, context, index >= reasoningFrom)),
      );
    index += 1;
  }
  if (paused !== undefined) turns.add(paused.role, paused.content);
  return { system: system.filter((text) => text.trim() !== '').join('\n\n'), messages: turns.arranged() };
}

function systemText({ content }: Message): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function blocksOf(
  { role, content }: Message,
  context: BlockContext,
  reasoning: boolean,
): readonly JsonObject[] {
  const blocks = content.flatMap((part) => {
    return part.type === 'reasoning' && !reasoning ? [] : toBlocks(part, context);
  });
  return blocks.length === 0 && role === 'user' ? [NO_TEXT] : blocks;
}

/**
 * Collects alternating turns. Adjacent messages with the same role are joined, and empty ones are dropped.
 */
class Turns {
  readonly #turns: { role: 'user' | 'assistant'; content: JsonObject[] }[] = [];

  add(role: 'user' | 'assistant', blocks: readonly JsonObject[]): void {
    if (blocks.length === 0) return;
    const last = this.#turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else this.#turns.push({ role, content: [...blocks] });
  }

  arranged(): readonly WireMessage[] {
    return this.#turns.map(({ role, content }, index) => {
      if (role === 'assistant') return { role, content: textBeforeCalls(content) };
      const owed = owedResults(this.#turns[index - 1]?.content ?? [], content);
      return {
        role,
        content: [...content.filter(isResult), ...owed, ...content.filter((block) => !isResult(block))],
      };
    });
  }
}

function isToolUse(block: JsonObject): boolean {
  return block['type'] === 'tool_use';
}

function isResult(block: JsonObject): boolean {
  return block['type'] === 'tool_result';
}

/**
 * Moves text before tool calls, because the API rejects text after a call. All other blocks keep their order,
 * because thinking is tied to the blocks before it.
 */
function textBeforeCalls(content: readonly JsonObject[]): readonly JsonObject[] {
  const first = content.findIndex(isToolUse);
  if (first === -1) return content;
  const rest = content.slice(first);
  const isText = (block: JsonObject) => block['type'] === 'text';
  return [...content.slice(0, first), ...rest.filter(isText), ...rest.filter((block) => !isText(block))];
}

/**
 * Returns the missing results for calls from provider code (`caller`). hitl never runs these calls, but the
 * API requires a result for each of them (G21).
 */
function owedResults(before: readonly JsonObject[], content: readonly JsonObject[]): readonly JsonObject[] {
  const answered = new Set(content.filter(isResult).map((block) => block['tool_use_id']));
  const calls = before.filter((block) => isToolUse(block) && block['caller'] !== undefined);
  return calls.flatMap(({ id }): JsonObject[] => {
    if (id === undefined || answered.has(id)) return [];
    return [
      {
        type: 'tool_result',
        tool_use_id: id,
        content: 'not run: this client runs direct calls only',
        is_error: true,
      },
    ];
  });
}
