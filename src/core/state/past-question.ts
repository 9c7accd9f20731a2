import type { Actor, Resolution } from '../data/resolution.js';
import type { Interrupt, InterruptDraft } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import { jsonEquals, isJsonObject } from '../data/json.js';
import { isOperationGate, operationOf } from './operation.js';
import type { Activation, GraphFrame } from './state.js';
import { count } from '../data/plain-line.js';
import { activationId, GraphFrameOf } from './frame.js';
import { livePath } from './live-path.js';

// Invariants:
// P1 A graph whose history was not written here, or is not all there, starts nothing before somebody said that it
//    continues from what is recorded. No rule and no model says so.
// P2 The answer counts for what the question lists, so it must list what the graph has then.

const PAST = {
  elsewhere: "This session's history was written elsewhere.",
  lost: "Part of this session's history is gone.",
} as const;

/** The question whether a graph continues from the results that its history records. */
export function pastDraft(frame: GraphFrame): InterruptDraft {
  const done = recordedAsDone(frame);
  const are = done.length === 1 ? 'is' : 'are';
  const recorded = `${count(done.length, 'step')} ${are} recorded as done`;
  const reason = `${PAST[frame.unconfirmed ?? 'elsewhere']} ${recorded}. Continue from there?`;
  return { kind: 'pause', source: { type: 'run' }, payload: { reason, done } };
}

/** The frame after an answer to a question of its run: one that continues from the past confirms what it listed (P2). */
export function confirmedBy(frame: GraphFrame, asked: Interrupt, { action }: Resolution): GraphFrame {
  if (action === 'cancel' || !asksAboutPast(frame, asked)) return frame;
  const { unconfirmed: _unconfirmed, ...members } = frame;
  return new GraphFrameOf(members);
}

/** Says why somebody's answer does not continue from the past (P1); `undefined` where it may. */
export function pastProblem(
  frame: GraphFrame,
  asked: Interrupt,
  { by, resolution }: { readonly by: Actor; readonly resolution: Resolution },
): string | undefined {
  if (by.type === 'person' || by.type === 'script' || resolution.action === 'cancel') return undefined;
  return asksAboutPast(frame, asked) ? 'only a person can continue from what is recorded here' : undefined;
}

function asksAboutPast(frame: GraphFrame, { kind, source, payload }: Interrupt): boolean {
  if (frame.unconfirmed === undefined || kind !== 'pause' || source.type !== 'run') return false;
  return jsonEquals(payload, pastDraft(frame).payload);
}

/** Everything that the history says is behind the run: nodes, and what the code of the current one did and was told. */
function recordedAsDone(frame: GraphFrame): readonly string[] {
  const { current } = frame;
  const nodes = livePath(frame).filter((one) => one !== current || isBehind(one));
  return [...nodes.map(activationId), ...(current === undefined ? [] : doneInside(current))];
}

function isBehind({ status, phase }: Activation): boolean {
  return status === 'answered' || phase === 'after' || phase === 'route';
}

function doneInside({ operations, asks }: Activation): readonly string[] {
  const ended = operations.entries().flatMap(([key, { status }]) => (status === 'started' ? [] : [key]));
  const answered = asks.flatMap(({ interrupt, answer }, index) =>
    answer === undefined || isOperationGate(interrupt)
      ? []
      : [operationOf(interrupt) ?? `question ${index + 1}`],
  );
  return [...new Set([...ended, ...answered])];
}

/** The key of a gate's payload for what a model read a message as (N-5). */
export const PROPOSED = 'proposed';

/** The key of a gate's payload for the words of a message: the gate is about that, and not one that the node has. */
export const MESSAGE = 'message';

/** The key of a payload for what is not as it was when a person was asked before, a line each. */
export const CHANGED = 'changed';

/** True for a gate that is about a message: whoever answers it lets nothing pass that the node's own gate holds. */
export function isAboutMessage({ kind, payload }: Interrupt): boolean {
  return kind === 'gate' && isJsonObject(payload) && payload[MESSAGE] !== undefined;
}

/**
 * Reads what a gate proposes: `continue` there means to do that, `reject` not to. `undefined` at any other question.
 */
export function proposalOf({ kind, payload }: Interrupt): Resolution | undefined {
  const proposed = kind === 'gate' && isJsonObject(payload) ? payload[PROPOSED] : undefined;
  return isResolution(proposed) ? proposed : undefined;
}

/** True for the form of a resolution: what is in a journal was checked before it was raised. */
function isResolution(value: JsonValue | undefined): value is Resolution & JsonValue {
  return isJsonObject(value) && typeof value['action'] === 'string';
}
