import type { JsonObject, JsonValue } from '../../core/index.js';
import { isJsonArray, isJsonObject } from '../../core/index.js';

const EPHEMERAL: JsonObject = { type: 'ephemeral' };
/** Thinking cannot be marked. */
const UNMARKABLE = new Set<JsonValue | undefined>(['thinking', 'redacted_thinking']);

function markLast(items: JsonValue | undefined): JsonValue | undefined {
  if (items === undefined || !isJsonArray(items)) return items;
  const last = items.at(-1);
  if (last === undefined || !isJsonObject(last) || UNMARKABLE.has(last['type'])) return items;
  return [...items.slice(0, -1), { ...last, cache_control: EPHEMERAL }];
}

/**
 * Marks where the provider's cache may end: after the tools, the system prompt, and the last two user turns. The
 * last one is where the next request finds this one; the one before is where this one finds the last. Four is the
 * most that the API allows.
 */
export function withCacheControl(body: JsonObject): JsonObject {
  const { tools, system, messages = [] } = body;
  if (!isJsonArray(messages)) return body;
  const users = [...messages.keys()].filter((index) => roleOf(messages[index]) === 'user').slice(-2);
  const marked = messages.map((message, index) => {
    if (!users.includes(index) || !isJsonObject(message)) return message;
    return { ...message, content: markLast(message['content']) ?? null };
  });
  const markedTools = markLast(tools);
  const markedSystem = markLast(system);
  return {
    ...body,
    ...(markedTools !== undefined && { tools: markedTools }),
    ...(markedSystem !== undefined && { system: markedSystem }),
    messages: marked,
  };
}

function roleOf(message: JsonValue | undefined): JsonValue | undefined {
  return message !== undefined && isJsonObject(message) ? message['role'] : undefined;
}
