import type { Activation, GraphState, InterruptDraft, JsonObject } from '../../core/index.js';
import { HitlError } from '../../core/index.js';
import type { Stop } from '../../engine/index.js';
import { TimeLimitError, watchBody } from '../../engine/index.js';
import type { NodeBody, NodeContext } from '../graph-definition.js';
import type { BodyOptions } from './body-context.js';
import { BodyRecord, contextOf } from './body-context.js';

/** The end of a body. */
export type BodyEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  /** `caught`: the body went on behind its question, which is asked all the same. */
  | { readonly type: 'asked'; readonly drafts: readonly InterruptDraft[]; readonly caught: boolean }
  | { readonly type: 'threw'; readonly thrown: unknown };

/**
 * Runs a node's body once, from its top, until it and its steps have ended, or until all that it waits for is people: it
 * is left where it is then, so that nothing of its own runs before there is an answer, no `catch` and no `finally`.
 * Answers and steps of earlier attempts are given again. A body that does not stop when it is told to is given up. Never
 * throws.
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
  const record = new BodyRecord();
  const context = contextOf(current, { ...options, record, stop: watch.stop });
  const left = record.left.then((): BodyEnd => ({ type: 'asked', drafts: record.asked, caught: false }));
  const end = await Promise.race([entered(body, state, context, record), givenUp, left]);
  watch.end();
  record.close();
  if (record.asked.length > 0) return { type: 'asked', drafts: record.asked, caught: end.type !== 'asked' };
  if (!(watch.stop.reason instanceof TimeLimitError)) return end;
  return { type: 'threw', thrown: new HitlError('NODE_FAILED', `it took longer than ${timeoutMs ?? 0} ms`) };
}

/** Gives what became of the body, after its steps: what was begun is journaled to its end. */
async function entered(
  body: NodeBody,
  state: GraphState,
  context: NodeContext,
  record: BodyRecord,
): Promise<BodyEnd> {
  let end: BodyEnd;
  try {
    end = { type: 'returned', value: await body(takesNothing(body) ? NO_STATE : state.plain, context) };
  } catch (thrown) {
    end = { type: 'threw', thrown };
  }
  await record.stepsEnded();
  return end;
}

const NO_STATE: JsonObject = Object.freeze({});

/**
 * True for an arrow function that declares no parameters: it cannot look at what it is called with, so that the whole
 * state need not be made for it. Where that cannot be told, it is made.
 */
function takesNothing(body: NodeBody): boolean {
  return /^(?:async\s*)?\(\s*\)\s*=>/u.test(Function.prototype.toString.call(body));
}
