import type { Answer } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';
import type { MessageRecord } from './message-record.js';
import { isMessageRecord } from './message-record.js';

/** One line of an inbox. */
export type InboxRecord =
  | MessageRecord
  | {
      readonly v: 1;
      readonly type: 'answer';
      /** Names this answer; whoever posted it asks with it what became of it. */
      readonly receipt: string;
      /** ISO 8601. */
      readonly at: string;
      readonly answer: Answer;
    }
  | {
      readonly v: 1;
      readonly type: 'refusal';
      readonly receipt: string;
      readonly at: string;
      readonly why: string;
    };

function isAnswer(value: unknown): value is Answer {
  if (!isJsonObject(value)) return false;
  const { id, digest, resolution, by } = value;
  if (typeof id !== 'string' || typeof digest !== 'string') return false;
  return isJsonObject(resolution) && typeof resolution['action'] === 'string' && isJsonObject(by);
}

/** True for a record of this version; one of a later version is not understood, and so not acted upon. */
export function isInboxRecord(value: unknown): value is InboxRecord {
  if (!isJsonObject(value) || value['v'] !== 1 || typeof value['receipt'] !== 'string') return false;
  if (value['type'] === 'answer') return isAnswer(value['answer']);
  if (value['type'] === 'refusal') return typeof value['why'] === 'string';
  return isMessageRecord(value);
}
