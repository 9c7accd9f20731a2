// What people do in a fleet: they begin sessions that ask, and answer.
import { setTimeout as passing } from 'node:timers/promises';

import type { PostgresStore } from '../../sessions/postgres/index.js';
import type { Answer, AnswerFate, Interrupt, Resolution, SessionId } from '../../src/core/index.js';
import { isHitlError, openChat, openFlow } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import type { Kind } from './parts.js';
import { KINDS, PAYMENTS, payInSteps, payTools, TOOL_OF } from './parts.js';

/** What a person waits for is mostly the worker: many wait at the same time. */
export const AT_ONCE = 24;
export const RETRY_MS = 200;
/** Whoever waits for an answer learns of it within this time. */
const FATE_MS = 420_000;
export const PEOPLE = ['ann', 'bob'] as const;

export interface Asked {
  readonly id: SessionId;
  /** Its first payment. */
  readonly n: number;
  readonly kind: Kind;
  readonly questions: readonly Interrupt[];
}

/** What a person who is another process is told to do; the answer has the same number. */
export type Errand = { readonly number: number } & (
  | { readonly type: 'ask'; readonly n: number }
  | {
      readonly type: 'answer';
      readonly session: SessionId;
      readonly question: Interrupt;
      readonly name: string;
    }
);

/** Does something with every item, some at the same time. */
export async function all<Item>(items: Iterable<Item>, act: (item: Item) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Does something until the database is there. */
export async function insisting<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act();
    } catch (thrown) {
      const isAway =
        isHitlError(thrown) && ['SAVE_FAILED', 'STORE_UNAVAILABLE', 'SESSION_LOCKED'].includes(thrown.code);
      if (!isAway) throw thrown;
      await passing(RETRY_MS);
    }
  }
}

/** Begins a session that asks. */
export async function ask(store: PostgresStore, index: number, effects: string): Promise<Asked> {
  const kind = KINDS[index % KINDS.length] ?? 'one';
  const n = PAYMENTS * index;
  if (kind === 'steps') {
    const flow = await openFlow(payInSteps(effects), { store });
    await flow.start({ input: { n } });
    const { id, open: questions } = flow;
    await flow.close();
    return { id, n, kind, questions };
  }
  return askInChat(store, { kind, n }, effects);
}

/** Begins a chat that asks about a payment, or two. */
export async function askInChat(
  store: PostgresStore,
  { kind, n }: { readonly kind: Exclude<Kind, 'steps'>; readonly n: number },
  effects: string,
): Promise<Asked> {
  const calls = kind === 'two' ? [n, n + 1] : [n];
  const model = scriptedModel([
    { tools: calls.map((number) => ({ name: TOOL_OF[kind], input: { n: number } })) },
  ]);
  const tools = payTools(effects).filter(({ name }) => name === TOOL_OF[kind]);
  const chat = await openChat({ store, model, tools });
  await chat.say(`pay ${n}`);
  const asked = { id: chat.id, n, kind, questions: chat.open };
  await chat.close();
  if (asked.questions.length !== calls.length) throw new Error('not all was asked');
  return asked;
}

/**
 * Posts an answer, and waits for what becomes of it.
 * @returns `used` where it decided or is one of the votes that did, `late` where somebody else's did
 */
export async function answered(
  store: PostgresStore,
  id: SessionId,
  question: Interrupt,
  name: string,
): Promise<'used' | 'late'> {
  const { digest } = question;
  const by = { type: 'person', name, via: 'library' } as const;
  const resolution: Resolution =
    question.source.type === 'tool' ? { action: 'restart' } : { action: 'respond', output: true };
  const answer: Answer = { id: question.id, digest, resolution, by };
  try {
    const receipt = `${name}-${id}-${question.id}`;
    const posted = await insisting(() => store.post(id, answer, { receipt }));
    const fate = await insisting((): Promise<AnswerFate> => store.fate(posted, AbortSignal.timeout(FATE_MS)));
    return fate.type === 'refused' ? 'late' : 'used';
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'ALREADY_ANSWERED') return 'late';
    throw thrown;
  }
}
