import { isSessionId } from '../ids.js';
import type { JsonValue } from '../json/index.js';
import { isJsonObject } from '../json/index.js';
import type { DeliveryNote } from '../ports/index.js';
import { timeOf } from '../text/index.js';

const TEXTS = ['key', 'message', 'channel', 'interrupt', 'digest', 'at'] as const;
const STATES: readonly unknown[] = ['sending', 'waiting', 'sent', 'left'] satisfies DeliveryNote['state'][];
const EVENTS: readonly unknown[] = [
  'interrupt.raised',
  'interrupt.resolved',
] satisfies DeliveryNote['event'][];

/** True for a note, as it was kept. */
export function isDeliveryNote(value: JsonValue | undefined): value is JsonValue & DeliveryNote {
  if (value === undefined || !isJsonObject(value)) return false;
  const { session, revision, attempts, state, event, at, reference, why } = value;
  return (
    TEXTS.every((key) => typeof value[key] === 'string') &&
    typeof session === 'string' &&
    isSessionId(session) &&
    Number.isSafeInteger(revision) &&
    Number.isSafeInteger(attempts) &&
    STATES.includes(state) &&
    EVENTS.includes(event) &&
    typeof at === 'string' &&
    !Number.isNaN(timeOf(at)) &&
    (reference === undefined || typeof reference === 'string') &&
    (why === undefined || typeof why === 'string')
  );
}
