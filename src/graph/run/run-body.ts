import type {
  Activation,
  Clock,
  Effect,
  GraphState,
  InterruptDraft,
  JsonValue,
  SessionEvent,
} from '../../core/index.js';
import { HitlError, jsonEquals } from '../../core/index.js';
import type { Stop } from '../../engine/index.js';
import { TimeLimitError, watchBody } from '../../engine/index.js';
import { checkJson } from '../state/index.js';
import { questionDraft, withChanges, withoutChanges } from '../gates/index.js';
import type { NodeBody, NodeContext } from '../graph-definition.js';

/** What a body tells of while it runs: events that must be durable before it goes on. */
export interface BodyArrival {
  readonly events: readonly SessionEvent[];
  readonly kept: () => void;
}

/** How a body ended. */
export type BodyEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  /** `caught`: the body went on behind its question, which is asked all the same. */
  | { readonly type: 'asked'; readonly drafts: readonly InterruptDraft[]; readonly caught: boolean }
  | { readonly type: 'threw'; readonly thrown: unknown };

export interface BodyOptions {
  readonly state: GraphState;
  readonly path: string;
  readonly idempotencyKey: string;
  readonly timeoutMs?: number;
  readonly clock: Clock;
  readonly tell: (arrival: BodyArrival) => void;
}

/** What `ask` throws: not an error. That it was thrown is remembered, so that no `catch` of the body hides it. */
const ASKED = Object.freeze({ [Symbol.for('hitl.ask')]: true });

/**
 * Runs a node's body once, from its top, until it and its steps have ended. Answers and steps of earlier attempts are
 * given again. A body that does not stop when it is told to is given up. Never throws.
 */
export async function runBody(
  body: NodeBody,
  current: Activation,
  options: BodyOptions,
  around: Stop,
): Promise<BodyEnd> {
  const { timeoutMs, clock, state } = options;
  let giveUp: (end: BodyEnd) => void = () => undefined;
  const givenUp = new Promise<BodyEnd>((resolve) => {
    giveUp = resolve;
  });
  const onOverdue = (): void => {
    giveUp({ type: 'threw', thrown: watch.stop.reason });
  };
  const watch = watchBody({ timeoutMs, clock, onOverdue }, around);
  const asked: InterruptDraft[] = [];
  const doing: Promise<unknown>[] = [];
  const context = contextOf(current, options, watch.stop, { asked, doing });
  const end = await Promise.race([entered(body, state, context, doing), givenUp]);
  watch.end();
  const isCaught = end.type === 'returned' || (end.type === 'threw' && end.thrown !== ASKED);
  if (asked.length > 0) return { type: 'asked', drafts: asked, caught: isCaught };
  if (!(watch.stop.reason instanceof TimeLimitError)) return end;
  return { type: 'threw', thrown: new HitlError('NODE_FAILED', `it took longer than ${timeoutMs ?? 0} ms`) };
}

/** What became of the body, after its steps: what was begun is journaled to its end. */
async function entered(
  body: NodeBody,
  state: GraphState,
  context: NodeContext,
  doing: readonly Promise<unknown>[],
): Promise<BodyEnd> {
  let end: BodyEnd;
  try {
    end = { type: 'returned', value: await body(state.plain, context) };
  } catch (thrown) {
    end = { type: 'threw', thrown };
  }
  for (const step of doing) await step.catch(() => undefined); // a failure is the body's to see
  return end;
}

/** True where an answer to one is an answer to the other: each question is given its own, wherever it comes (G11). */
function isSameQuestion(asked: InterruptDraft, now: InterruptDraft): boolean {
  const known = [withoutChanges(asked.payload), asked.answerSchema ?? null];
  return jsonEquals(known, [now.payload, now.answerSchema ?? null]);
}

/** What happens while a body runs. */
interface BodyRecord {
  readonly asked: InterruptDraft[];
  readonly doing: Promise<unknown>[];
}

function contextOf(
  current: Activation,
  { path, idempotencyKey, tell, state }: BodyOptions,
  stop: Stop,
  { asked, doing }: BodyRecord,
): NodeContext {
  const { node, visit, attempts, guidance, input, asks, steps } = current;
  const keep = (event: SessionEvent): Promise<void> =>
    new Promise((kept) => {
      tell({ events: [event], kept });
    });
  const takeStep = async (key: string, body: () => unknown, effect: Effect): Promise<JsonValue> => {
    const before = steps[key];
    if (before?.status === 'settled' && before.output !== undefined) return before.output;
    await keep({ type: 'step-started', node, visit, key, effect });
    const value = await body();
    const output = checkJson(value ?? null, `the result of step \`${key}\``, { node });
    await keep({ type: 'step-settled', node, visit, key, output });
    return output;
  };
  const left = [...asks];
  return {
    path,
    node,
    visit,
    attempt: attempts,
    get signal() {
      return stop.signal;
    },
    guidance,
    input: input?.value,
    idempotencyKey,
    ask(question) {
      const draft = questionDraft(current, question);
      const record = left.find(({ interrupt }) => isSameQuestion(interrupt, draft));
      if (record !== undefined) left.splice(left.indexOf(record), 1);
      if (record?.answer !== undefined) return Promise.resolve(record.answer.value);
      if (record === undefined)
        asked.push(withChanges(draft, current, { state, instead: left[0]?.interrupt }));
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- not an error: it stops the body
      return Promise.reject(ASKED);
    },
    step(key, body, { effect = 'once' } = {}) {
      const step = takeStep(key, body, effect);
      doing.push(step);
      return step;
    },
  };
}
