import type { JsonObject, JsonValue, ModelRequest } from '../../../core/index.js';
import { isJsonArray, isJsonObject, present } from '../../../core/index.js';

/** The mark of a cache that lives for five minutes after its last use, or for an hour. */
function markOf(cacheFor: ModelRequest['cacheFor']): JsonObject {
  return { type: 'ephemeral', ...(cacheFor === 'hour' && { ttl: '1h' }) };
}

/** Thinking cannot be marked. */
const UNMARKABLE = new Set<JsonValue | undefined>(['thinking', 'redacted_thinking']);

function markLast(items: JsonValue | undefined, mark: JsonObject): JsonValue | undefined {
  if (items === undefined || !isJsonArray(items)) return items;
  const last = items.at(-1);
  if (last === undefined || !isJsonObject(last) || UNMARKABLE.has(last['type'])) return items;
  return [...items.slice(0, -1), { ...last, cache_control: mark }];
}

/**
 * Marks the last tool sent in full: deferred tools are not in the prompt, and the API refuses a mark on them.
 */
function markInFull(tools: JsonValue | undefined, mark: JsonObject): JsonValue | undefined {
  if (tools === undefined || !isJsonArray(tools)) return tools;
  const at = tools.findLastIndex((tool) => isJsonObject(tool) && tool['defer_loading'] !== true);
  return tools.map((tool, index) => {
    return index === at && isJsonObject(tool) ? { ...tool, cache_control: mark } : tool;
  });
}

/**
 * Marks where the provider's cache may end: after the tools, the system prompt, and the last two user turns.
 * The last is where the next request finds this one; the one before is where this one finds the previous. The
 * API allows four. All have the same lifetime: the API requires longer ones first.
 */
export function withCacheControl(body: JsonObject, cacheFor: ModelRequest['cacheFor']): JsonObject {
  const mark = markOf(cacheFor);
  const { tools, system, messages = [] } = body;
  if (!isJsonArray(messages)) return body;
  const users = [...messages.keys()].filter((index) => roleOf(messages[index]) === 'user').slice(-2);
  const marked = messages.map((message, index) => {
    if (!users.includes(index) || !isJsonObject(message)) return message;
    return { ...message, content: markLast(message['content'], mark) ?? null };
  });
  const markedTools = markInFull(tools, mark);
  const markedSystem = markLast(system, mark);
  return {
    ...body,
    ...present({ tools: markedTools, system: markedSystem }),
    messages: marked,
  };
}

function roleOf(message: JsonValue | undefined): JsonValue | undefined {
  return message !== undefined && isJsonObject(message) ? message['role'] : undefined;
}
