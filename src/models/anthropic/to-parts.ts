import type { JsonObject, JsonValue, Part, ReplyEnd, ToolRequestPart } from '../../core/index.js';
import { isJsonObject, parseStrictJson, toolRef } from '../../core/index.js';
import { callInput, cutCallText } from '../call-input.js';
import type { Failures } from './failures.js';
import type { WireBlock } from './message-reader.js';
import { ownMetadata } from './request/to-blocks.js';
import type { WireTools } from './request/wire-tools.js';

const ENDS: Readonly<Record<string, ReplyEnd>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-use',
  max_tokens: 'length',
  refusal: 'refusal',
  model_context_window_exceeded: 'context-window',
  pause_turn: 'paused',
};

/** Converts the provider's stop reason. */
export function replyEnd(stopReason: string): ReplyEnd {
  return (Object.hasOwn(ENDS, stopReason) ? ENDS[stopReason] : undefined) ?? 'other';
}

export interface PartContext {
  readonly tools: WireTools;
  readonly failures: Failures;
  /** Creates a ref for the nth call in a reply if the provider does not send an id. */
  readonly mintRef: (callIndex: number) => string;
}

/** Whether hitl has to run this call. Calls with a different `caller` belong to the provider's own tools. */
export function isDirectCall({ start }: WireBlock): boolean {
  if (start['type'] !== 'tool_use') return false;
  const { caller } = start;
  return caller === undefined || caller === null || (isJsonObject(caller) && caller['type'] === 'direct');
}

/**
 * Converts a complete reply to parts. A call becomes a tool request only if the stop reason is `tool_use` and
 * the call's block was closed (G20). Other calls are replaced with text that says that they did not run.
 * @throws HitlError MODEL_FAILED if the reply stops for tool calls but contains none that can run, or has two
 * calls with the same id.
 */
export function toParts(
  blocks: readonly WireBlock[],
  stopReason: string,
  context: PartContext,
): readonly Part[] {
  const runnable = (block: WireBlock) => stopReason === 'tool_use' && block.closed;
  const ids = new Set<string>();
  const parts: Part[] = [];
  for (const block of blocks) {
    if (!isDirectCall(block)) {
      const part = plainPart(block, context.failures);
      if (part !== undefined) parts.push(part);
    } else if (runnable(block)) {
      const request = toRequestPart(block, ids.size, context);
      if (ids.has(request.ref))
        throw context.failures.protocol(`two tool calls have the id \`${request.ref}\``);
      ids.add(request.ref);
      parts.push(request);
    } else parts.push(cutCall(block, stopReason, parts));
  }
  if (stopReason === 'tool_use' && ids.size === 0) {
    throw context.failures.protocol('the stop reason is `tool_use`, but no call in the reply can run');
  }
  return parts;
}

/** Returns a text part that tells the user and the model that the call was cut off and did not run. */
function cutCall({ start }: WireBlock, stopReason: string, before: readonly Part[]): Part {
  const name = typeof start['name'] === 'string' ? start['name'] : '';
  const text = cutCallText(name, stopReason, before);
  return { type: 'text', text, metadata: { anthropic: { cutCall: name } } };
}

function plainPart(block: WireBlock, failures: Failures): Part | undefined {
  const { start, text, signature, citations, closed } = block;
  const { type } = start;
  switch (typeof type === 'string' ? type : '') {
    case 'text': {
      if (text === '') return undefined;
      return { type: 'text', text, ...(citations.length > 0 && { metadata: { anthropic: { citations } } }) };
    }
    case 'thinking': {
      const { thinking: _thinking, ...rest } = start;
      return closed
        ? { type: 'reasoning', text, metadata: { anthropic: { ...rest, signature } } }
        : undefined;
    }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', metadata: { anthropic: start } };
    default:
      return closed ? ownPart(block, failures) : undefined;
  }
}

/**
 * Converts any other block to a part that is stored and can be sent back unchanged. Such a part never runs
 * and is never shown as a question.
 */
function ownPart({ start, json }: WireBlock, failures: Failures): Part {
  const type = start['type'] ?? null;
  const metadata = { anthropic: { block: type } };
  if (json === '') return { type: 'data', data: start, metadata };
  const input = parseStrictJson(json);
  if (!input.ok) throw failures.protocol(`the input of a provider tool call is not JSON: ${input.message}`);
  return { type: 'data', data: { ...start, input: input.value }, metadata };
}

function toRequestPart(
  block: WireBlock,
  callIndex: number,
  { tools, mintRef }: PartContext,
): ToolRequestPart {
  const { id, name, input: whole } = block.start;
  const ref = toolRef(typeof id === 'string' && id !== '' ? id : mintRef(callIndex));
  const wire = typeof name === 'string' ? name : '';
  // A tool without arguments streams only the empty text; some servers put the whole input into the start.
  const raw = block.json === '' ? JSON.stringify(whole ?? {}) : block.json;
  const meant = acceptInput(raw, wire, tools);
  return { type: 'tool-request', ref, ...meant };
}

function acceptInput(raw: string, wire: string, tools: WireTools) {
  const { input, problem } = callInput(raw);
  if (problem === undefined) return tools.meant(wire, input);
  return { name: tools.meant(wire, {}).name, input, problem };
}

/** Whether a part is the text that replaces a call that was cut off. Such text has not been streamed. */
export function isCutCall(part: Part): boolean {
  return ownMetadata(part)?.['cutCall'] !== undefined;
}

/**
 * Removes provider calls without a result. The API accepts them in a history only after a pause or while the
 * reply is waiting for other calls.
 */
export function withoutOpenServerCalls(parts: readonly Part[]): readonly Part[] {
  const own = (part: Part): JsonObject | undefined => {
    return part.type === 'data' && ownMetadata(part) !== undefined && isJsonObject(part.data)
      ? part.data
      : undefined;
  };
  const answered = new Set<JsonValue | undefined>(parts.map((part) => own(part)?.['tool_use_id']));
  return parts.filter((part) => {
    const block = own(part);
    const type = block?.['type'];
    const isCall = typeof type === 'string' && type !== 'tool_use' && type.endsWith('_tool_use');
    return !isCall || answered.has(block?.['id']);
  });
}
