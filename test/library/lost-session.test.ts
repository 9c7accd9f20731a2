import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { HitlError, suspending } from '../../src/core/index.js';
import type { Session, SessionStore } from '../../src/core/index.js';
import { answers, defineTool, openChat, openStore } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** A store whose sessions may be lost to another process, as those of a database are. */
function losable(store: SessionStore, lost: AbortSignal): SessionStore {
  const lose = (session: Session) =>
    new Proxy(session, {
      get: (target, key) => {
        const value: unknown = key === 'lost' ? lost : Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'open')
        return async (...given: Parameters<SessionStore['open']>) => lose(await target.open(...given));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

describe('a session that another process takes while a tool runs', () => {
  test.each(['once', 'reads'] as const)(
    'is left as a crash leaves it: nobody is said to have stopped it (a tool that %s)',
    async (effect) => {
      const leaving = new AbortController();
      const why = new HitlError('VERSION_CONFLICT', 'the lease of the session is lost');
      const pay = defineTool(
        {
          name: 'pay',
          description: 'Pays.',
          input: z.object({ n: z.number() }),
          needsApproval: true,
          effect: effect === 'once' ? 'once' : 'none',
        },
        async (_, { signal }) => {
          leaving.abort(suspending(why));
          await new Promise((resolve) => {
            setTimeout(resolve, 5);
          });
          signal.throwIfAborted();
          return 'paid';
        },
      );
      const store = openStore();
      const model = () => scriptedModel([{ tools: [{ name: 'pay', input: { n: 1 } }] }, 'Paid.']);
      await using first = await openChat({ store, model: model(), tools: [pay] });
      await first.say('pay 1');
      const [question] = first.open;
      await first.close();
      if (question === undefined) throw new Error('nothing was asked');
      await using chat = await openChat(first.id, {
        store: losable(store, leaving.signal),
        model: model(),
        tools: [pay],
      });
      await expect(chat.answer(answers.restart(question))).rejects.toBe(why);
      await chat.close();
      await using after = await store.open(first.id, 'read');
      const call = after.state.open?.calls[0]?.state;
      expect([after.state.ended, call?.status]).toEqual([undefined, 'started']);
    },
  );
});
