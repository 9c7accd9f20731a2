import type { JsonObject, JsonValue, ModelRequest } from '../../../core/index.js';
import { isJsonArray, isJsonObject, present } from '../../../core/index.js';

/** Returns a cache mark. The cache entry is kept for five minutes, or for an hour, after its last use. */
function markOf(cacheFor: ModelRequest['cacheFor']): JsonObject {
  return { type: 'ephemeral', ...(cacheFor === 'hour' && { ttl: '1h' }) };
}

/** Types of thinking blocks, which cannot have a cache mark. */
const UNMARKABLE = new Set<JsonValue | undefined>(['thinking', 'redacted_thinking']);

function markLast(items: JsonValue | undefined, mark: JsonObject): JsonValue | undefined {
  if (items === undefined || !isJsonArray(items)) return items;
  const last = items.at(-1);
  if (last === undefined || !isJsonObject(last) || UNMARKABLE.has(last['type'])) return items;
  return [...items.slice(0, -1), { ...last, cache_control: mark }];
}

/**
 * Adds a cache mark to the last tool that is sent in full. Deferred tools are not part of the prompt, and the
 * API rejects marks on them.
 */
function markInFull(tools: JsonValue | undefined, mark: JsonObject): JsonValue | undefined {
  if (tools === undefined || !isJsonArray(tools)) return tools;
  const at = tools.findLastIndex((tool) => isJsonObject(tool) && tool['defer_loading'] !== true);
  return tools.map((tool, index) => {
    return index === at && isJsonObject(tool) ? { ...tool, cache_control: mark } : tool;
  });
}

/**
 * Adds cache marks to a request: after the tools, after the system prompt, and after each of the last two
 * user turns. The last mark lets the next request reuse this one, and the mark before it lets this request
 * reuse the previous one. The API allows four marks. All of them have the same lifetime, because otherwise
 * the API requires longer lifetimes to come first.
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
