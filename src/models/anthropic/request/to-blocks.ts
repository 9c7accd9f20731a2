import type { JsonObject, MediaPart, Part, ReasoningPart, ToolResponsePart } from '../../../core/index.js';
import { assertNever, bareText, isJsonObject, kindOfMedia } from '../../../core/index.js';
import type { WireTools } from './wire-tools.js';
import { wireId, wireName } from './wire-tools.js';

const DATA_URL = /^data:(?<type>[^;,]*)[^,]*?(?<base64>;base64)?,(?<data>.*)$/su;
const IMAGES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

export interface BlockContext {
  readonly tools: WireTools;
  /**
   * Whether to send back thinking without a signature. Anthropic rejects such thinking, but other servers
   * never sign thinking.
   */
  readonly unsignedReasoning: boolean;
}

/**
 * Returns the metadata that the Anthropic adapter stored with a part: provider data that has no property of
 * its own.
 */
export function ownMetadata(part: Part): JsonObject | undefined {
  const own = part.metadata?.['anthropic'];
  return isJsonObject(own) ? own : undefined;
}

function textBlock(text: string): readonly JsonObject[] {
  // The API refuses text without a visible character.
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/**
 * Returns the block for thinking from this provider. Such thinking must be sent back unchanged. Drops
 * thinking from other providers, because this provider could not verify it.
 */
function reasoningBlock(part: ReasoningPart, { unsignedReasoning }: BlockContext): readonly JsonObject[] {
  const own = ownMetadata(part);
  if (own === undefined) return [];
  if (own['type'] === 'redacted_thinking') return [own];
  const signed = typeof own['signature'] === 'string' && own['signature'] !== '';
  return signed || unsignedReasoning ? [{ ...own, thinking: part.text }] : [];
}

function mediaBlock({ url, contentType }: MediaPart): JsonObject {
  const { type = '', base64, data = '' } = DATA_URL.exec(url)?.groups ?? {};
  // As its bytes say: the API refuses what is named otherwise, and would refuse the session from then on.
  const kind = kindOfMedia({ url })?.type ?? contentType ?? type;
  const inline = base64 !== undefined;
  const linked = /^https?:\/\//u.test(url);
  if (inline || linked) {
    const source = inline ? { type: 'base64', media_type: kind, data } : { type: 'url', url };
    if (kind === 'application/pdf') return { type: 'document', source };
    if (IMAGES.has(kind) || (linked && kind === '')) return { type: 'image', source };
  }
  return {
    type: 'text',
    text: `[an attachment of type ${kind === '' ? 'unknown' : kind} is not shown to this model]`,
  };
}

function resultContent(
  { output, content = [] }: ToolResponsePart,
  context: BlockContext,
): readonly JsonObject[] {
  const further = content.flatMap((part) => toBlocks(part, context));
  return further.length > 0 && output === null ? further : [...textBlock(bareText(output)), ...further];
}

function resultBlock(part: ToolResponsePart, context: BlockContext): JsonObject {
  const content = resultContent(part, context);
  const result = { type: 'tool_result', tool_use_id: wireId(part.ref) };
  if (part.isError !== true) return content.length === 0 ? result : { ...result, content };
  // The API refuses an error without words.
  const words = content.length === 0 ? textBlock('the tool failed without a message') : content;
  return { ...result, content: words, is_error: true };
}

/** Converts a part to content blocks. Returns an empty list if the provider would not accept any of it. */
export function toBlocks(part: Part, context: BlockContext): readonly JsonObject[] {
  switch (part.type) {
    case 'text': {
      const citations = ownMetadata(part)?.['citations'];
      return textBlock(part.text).map((block) => (citations === undefined ? block : { ...block, citations }));
    }
    case 'reasoning':
      return reasoningBlock(part, context);
    case 'media':
      return [mediaBlock(part)];
    case 'data':
      if (ownMetadata(part) !== undefined && isJsonObject(part.data)) return [part.data];
      return textBlock(bareText(part.data));
    case 'tool-request': {
      const name = wireName(part.name);
      return [{ type: 'tool_use', id: wireId(part.ref), name, input: context.tools.wireInput(part) }];
    }
    case 'tool-response':
      return [resultBlock(part, context)];
    default:
      return assertNever(part);
  }
}
