import { randomBytes } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { withAppend } from '../helpers/with-append.js';
import { createMemoryStore } from '../../sessions/index.js';
import type { Renderer, Session, SessionEvent } from '../../src/core/index.js';
import { emptyState, HitlError } from '../../src/core/index.js';
import type { EngineEvent, RunOutcome } from '../../src/engine/index.js';
import { keep, record } from '../../src/repl/index.js';
import { ended, userSaid } from '../helpers/events.js';
import { tickingClock } from '../sessions/temporary-store.js';

/** What happened, in order. */
type Log = string[];

const FULL = new HitlError('SAVE_FAILED', 'could not save: the disk is full');

function logging(log: Log): Renderer {
  return {
    event: ({ type }) => {
      log.push(`shown ${type}`);
    },
    transient: () => undefined,
    notice: () => undefined,
    pause: () => undefined,
    stopped: () => undefined,
  };
}

/** A session that tells when its disk is done; saving fails from the n-th time on. */
async function slowSession(log: Log, failsFrom = Infinity): Promise<Session> {
  const store = createMemoryStore({ clock: tickingClock(), random: randomBytes });
  const session = await store.create({ agent: { model: 'script', tools: [] } });
  let saves = 0;
  return withAppend(session, async (events) => {
    saves += 1;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    if (saves >= failsFrom) {
      log.push('not saved');
      throw FULL;
    }
    await session.append(events);
    log.push(`saved ${events.map(({ type }) => type).join(' ')}`);
  });
}

async function* run(log: Log): AsyncGenerator<EngineEvent, RunOutcome> {
  const durable = (event: SessionEvent): EngineEvent => ({ durable: true, events: [event] });
  try {
    yield durable({ type: 'model-started', attempt: 1 });
    log.push('the model is called');
    yield durable(ended());
    log.push('the run is over');
  } catch (thrown) {
    log.push('the run is stopped');
    throw thrown;
  }
  return { type: 'ended', reason: { type: 'done' }, state: emptyState() };
}

describe('what happened', () => {
  test('is shown after it was saved, and what depends on it comes after that (G1, G2)', async () => {
    const log: Log = [];
    await using session = await slowSession(log);
    await keep([userSaid('go')], session, logging(log));
    await record(run(log), session, logging(log));
    expect(log).toEqual([
      'saved message-added',
      'shown message-added',
      'saved model-started',
      'shown model-started',
      'the model is called',
      'saved run-ended',
      'shown run-ended',
      'the run is over',
    ]);
  });

  test('and could not be saved is not shown, and nothing follows it (G6)', async () => {
    const log: Log = [];
    await using session = await slowSession(log, 2);
    await keep([userSaid('go')], session, logging(log));
    await expect(record(run(log), session, logging(log))).rejects.toBe(FULL);
    expect(log).toEqual(['saved message-added', 'shown message-added', 'not saved', 'the run is stopped']);
  });
});
