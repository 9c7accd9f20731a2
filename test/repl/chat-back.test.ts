import { describe, expect, test } from 'vitest';

import type { SessionEvent, StoredEvent } from '../../src/core/index.js';
import { chatBack } from '../../src/repl/index.js';
import { modelSaid, requestPart, toolSettled, toolStarted, userSaid } from '../helpers/events.js';

function stored(events: readonly SessionEvent[]): readonly StoredEvent[] {
  return events.map((event, at) => ({ seq: at + 1, at: '', scope: '', event }) as unknown as StoredEvent);
}

const EVENTS = stored([
  userSaid('pay'),
  modelSaid([requestPart('pay', 'r1')]),
  toolStarted('pay', 'r1'),
  toolSettled('r1', 'paid'),
]);

describe('a chat that goes back to a record', () => {
  test.for([1, 2, 3])('%i, in the middle of a call, tells the call: it may be made again', (to) => {
    const { keep, effects } = chatBack(EVENTS, to);
    expect({ keep, done: effects.map(({ tool, outcome }) => [tool, outcome]) }).toEqual({
      keep: 1,
      done: [['pay', 'output']],
    });
  });
});
