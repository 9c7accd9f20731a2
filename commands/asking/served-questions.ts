import { HitlError, present } from '../../src/core/index.js';
import type { SessionStore } from '../../src/core/index.js';
import type { ServedQuestions } from '../../src/server/index.js';
import { askedWith } from './asked.js';
import { Questions } from './questions.js';
import type { QuestionsOptions } from './questions.js';
import { outcomeOf } from './standing.js';

/** Returns the questions that a server takes from programs; `undefined` for a store that cannot mark answers. */
export function servedQuestions(
  store: SessionStore,
  options: Pick<QuestionsOptions, 'secret' | 'clock'>,
  closing: AbortSignal,
): ServedQuestions | undefined {
  const { outputs } = store.capabilities;
  if (outputs === undefined) return undefined;
  const questions = new Questions({ ...options, store, beside: outputs });
  return {
    ask: async (asked, { name, by, key }) => {
      const door = ['serve', by.id?.issuer ?? '', by.id?.subject ?? ''];
      const id = await questions.ask({ ...askedWith(asked), from: name, connection: '', door, by, key });
      const standing = await questions.standing(id, undefined);
      const given = questions.giveOut(id, standing); // a key that a script repeats does not stretch one yes
      return outcomeOf(id, given, (await questions.account(id)) ?? {});
    },
    outcome: async (id, { ms, isAsker }, signal) => {
      const before = await questions.standing(id, undefined);
      try {
        const either = AbortSignal.any([signal, closing]);
        const standing =
          before.status === 'waiting'
            ? await questions.answered({ id, from: undefined, ms }, either)
            : before;
        if (isAsker) questions.giveOut(id, standing);
        return outcomeOf(id, standing, (await questions.account(id)) ?? {});
      } catch (cause) {
        if (!closing.aborted) throw cause;
        throw new HitlError('STORE_UNAVAILABLE', 'the server stops', present({ cause }));
      }
    },
  };
}
