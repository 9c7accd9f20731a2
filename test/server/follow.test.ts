import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import { openStore, systemClock } from '../../src/index.js';
import { Changes } from '../../src/server/changes.js';
import { Followers } from '../../src/server/sight/follow.js';
import { asking } from './server-harness.js';

/** A signal that is asked for ever by whoever goes round in circles. */
function patientSignal(): AbortController {
  const stop = new AbortController();
  const { signal } = stop;
  let looks = 0;
  Object.defineProperty(signal, 'aborted', {
    get: () => {
      looks += 1;
      if (looks > 1_000) throw new Error('it looks again and again');
      return Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')?.get?.call(signal) as boolean;
    },
  });
  return stop;
}

async function followed() {
  const store = openStore();
  const { session, question } = await asking(store, 'rent');
  const silent = { ...store, watch: () => ({ [Symbol.asyncIterator]: () => ({ next: turned }) }) };
  const changes = new Changes(silent, systemClock);
  const followers = new Followers({ store, changes });
  onTestFinished(() => {
    followers.close();
  });
  const happens = async (): Promise<void> => {
    changes.tell({ session, what: 'raised' });
    for (let turns = 0; turns < 10; turns += 1) await turn();
  };
  const answered = async (): Promise<void> => {
    const { id, digest } = question;
    const by = { type: 'person', name: 'ann', via: 'library' } as const;
    await store.post(session, { id, digest, resolution: { action: 'cancel' }, by });
    await happens();
  };
  return { session, followers, happens, answered };
}

const turned = () => new Promise<never>(() => undefined);

describe('a session that is followed', () => {
  test('is read on for a reader who comes at the moment in which the last one has left', async () => {
    const { session, followers, happens, answered } = await followed();
    const follower = await followers.of(session);
    await happens(); // nobody reads: it is not followed any longer
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { type } of follower.events(0, patientSignal().signal)) {
        seen.push(type);
        if (type === 'interrupt-resolved') return;
      }
    })();
    await turn();
    await answered();
    await reading;
    expect(seen.slice(-2)).toEqual(['session-opened', 'interrupt-resolved']);
  });

  test('has no readers any more once the server closes', async () => {
    const { session, followers } = await followed();
    const follower = await followers.of(session);
    const next = follower.events(1_000, patientSignal().signal).next();
    await turn();
    followers.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
