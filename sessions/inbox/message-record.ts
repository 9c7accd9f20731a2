import type { InboxControl, InboxItem, InboxMessage, JsonObject, JsonValue } from '../../src/core/index.js';
import { isJsonArray, isJsonObject } from '../../src/core/index.js';

/** A line about messages in an inbox. Each message is identified by its `receipt`. */
export type MessageRecord =
  | {
      readonly v: 1 | 2;
      readonly type: 'message';
      /** The item's id. */
      readonly receipt: string;
      /** ISO 8601. */
      readonly at: string;
      readonly item: InboxItem;
      /** Number of messages queued at that time, including this one. */
      readonly depth: number;
    }
  /** Messages that must not be delivered. Messages that were already delivered are unaffected. */
  | {
      readonly v: 1 | 2;
      readonly type: 'removal';
      readonly receipt: string;
      readonly at: string;
      readonly seqs: readonly number[];
      /** `evicted`: removed to make room for a message of higher priority. */
      readonly why: 'evicted' | 'withdrawn';
    }
  /** Records that a message was rejected because the queue was full. */
  | { readonly v: 1 | 2; readonly type: 'rejection'; readonly receipt: string; readonly at: string };

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isEvent(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value['name'] === 'string' && value['data'] !== undefined;
}

function isMessage(item: JsonObject): boolean {
  const { text, priority, action, target, expiresAt, event } = item;
  if (typeof text !== 'string' || !isOptionalText(target) || !isOptionalText(expiresAt)) return false;
  if (event !== undefined && !isEvent(event)) return false;
  if (priority !== 'low' && priority !== 'normal' && priority !== 'urgent') return false;
  return action === undefined || (isJsonObject(action) && typeof action['action'] === 'string');
}

function isControl({ verb, reason }: JsonObject): boolean {
  return (verb === 'pause' || verb === 'resume' || verb === 'cancel') && isOptionalText(reason);
}

function isItem(value: unknown): value is InboxItem {
  if (!isJsonObject(value)) return false;
  const { type, id, seq, from, at } = value;
  if (typeof id !== 'string' || typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1)
    return false;
  if (!isJsonObject(from) || typeof at !== 'string') return false;
  return type === 'message' ? isMessage(value) : type === 'control' && isControl(value);
}

/** Whether a record is about messages and has the form that this version uses. */
export function isMessageRecord(value: JsonObject): boolean {
  if (typeof value['at'] !== 'string') return false;
  if (value['type'] === 'message') return isItem(value['item']) && typeof value['depth'] === 'number';
  if (value['type'] !== 'removal') return value['type'] === 'rejection';
  const { seqs } = value;
  return seqs !== undefined && isJsonArray(seqs) && seqs.every((seq) => typeof seq === 'number');
}

/** Returns the content of an item without its sender, time and number. */
export function contentOf(
  item: Omit<InboxMessage, 'seq' | 'at'> | Omit<InboxControl, 'seq' | 'at'>,
): JsonObject {
  if (item.type === 'control') return { verb: item.verb, reason: item.reason ?? null };
  const { text, action, event, priority, target = null, expiresAt = null } = item;
  const named: unknown = action ?? null;
  const outside = event === undefined ? null : { ...event };
  return { text, action: isJsonObject(named) ? named : null, event: outside, priority, target, expiresAt };
}
