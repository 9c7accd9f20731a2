import { HitlError, present } from '../../src/core/index.js';
import type { SessionId, SessionStore } from '../../src/core/index.js';
import type { ServedQuestions } from '../../src/server/index.js';
import { askedWith } from './asked.js';
import { Questions } from './questions.js';
import type { Question, QuestionsOptions } from './questions.js';
import { outcomeOf } from './standing.js';

/**
 * Creates the question service for a server's clients. Returns `undefined` if the store cannot mark answers
 * as handed out.
 */
export function servedQuestions(
  store: SessionStore,
  options: Pick<QuestionsOptions, 'secret' | 'clock'>,
  closing: AbortSignal,
): ServedQuestions | undefined {
  const { outputs } = store.capabilities;
  if (outputs === undefined) return undefined;
  const open = new OpenQuestions(options.clock, async (id) => {
    const { status } = await questions.standing(id, undefined);
    return status === 'waiting';
  });
  const admit = async ({ from, door }: Question): Promise<void> => open.admit(from, door);
  const questions = new Questions({ ...options, store, beside: outputs, admit });
  return {
    ask: async (asked, { name, by, key }) => {
      const door = ['serve', by.id?.issuer ?? '', by.id?.subject ?? ''];
      const id = await questions.ask({ ...askedWith(asked), from: name, connection: '', door, by, key });
      const standing = await questions.standing(id, undefined);
      if (standing.status === 'waiting') open.add(id, door);
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

/**
 * Maximum number of open questions per asker. Prevents a program that asks endlessly from hiding other
 * askers' questions.
 */
const MOST_OPEN = 200;
/** Interval for removing answered questions from the count, in milliseconds. */
const LOOK_AGAIN_MS = 5_000;

/** Tracks the open questions that each asker has sent to this server. */
class OpenQuestions {
  readonly #clock: QuestionsOptions['clock'];
  readonly #isOpen: (id: SessionId) => Promise<boolean>;
  readonly #askers = new Map<string, { readonly ids: Set<SessionId>; lookedAt: number }>();

  constructor(clock: QuestionsOptions['clock'], isOpen: (id: SessionId) => Promise<boolean>) {
    this.#clock = clock;
    this.#isOpen = isOpen;
  }

  add(id: SessionId, door: readonly string[]): void {
    this.#of(door).ids.add(id);
  }

  /** @throws HitlError QUEUE_FULL */
  async admit(name: string, door: readonly string[] = []): Promise<void> {
    const asker = this.#of(door);
    const { ids } = asker;
    if (ids.size < MOST_OPEN) return;
    const now = this.#clock.now();
    if (now - asker.lookedAt >= LOOK_AGAIN_MS) {
      asker.lookedAt = now;
      for (const id of ids) if (!(await this.#isOpen(id))) ids.delete(id);
    }
    if (ids.size < MOST_OPEN) return;
    throw new HitlError('QUEUE_FULL', `${name} has ${ids.size} open questions, the maximum`, {
      hint: 'wait for answers, and ask again with the same Idempotency-Key',
    });
  }

  #of(door: readonly string[]): { readonly ids: Set<SessionId>; lookedAt: number } {
    const key = JSON.stringify(door);
    const found = this.#askers.get(key) ?? { ids: new Set(), lookedAt: -Infinity };
    this.#askers.set(key, found);
    return found;
  }
}
