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

/**
 * Returns the frame after an answer to a run's question; continuing from a foreign past confirms the listed
 * steps (P2).
 */
export function confirmedBy(frame: GraphFrame, asked: Interrupt, { action }: Resolution): GraphFrame {
  if (action === 'cancel' || !asksAboutPast(frame, asked)) return frame;
  const { unconfirmed: _unconfirmed, ...members } = frame;
  return new GraphFrameOf(members);
}

/** Explains why an answer cannot continue from a foreign past (P1); `undefined` if it can. */
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

/** Lists everything recorded as done: nodes, and the current code's operations and answers. */
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

/** Payload key of a gate: the model's reading of a message (N-5). */
export const PROPOSED = 'proposed';

/** Payload key of a gate: a message's text. Such a gate is about the message, and not one of the node. */
export const MESSAGE = 'message';

/** Payload key: changes since an earlier question, one line each. */
export const CHANGED = 'changed';

/** Whether a gate is about a message: answering it does not pass the node's own gate. */
export function isAboutMessage({ kind, payload }: Interrupt): boolean {
  return kind === 'gate' && isJsonObject(payload) && payload[MESSAGE] !== undefined;
}

/**
 * Returns a gate's proposed action, which `continue` applies and `reject` does not; `undefined` for other
 * questions.
 */
export function proposalOf({ kind, payload }: Interrupt): Resolution | undefined {
  const proposed = kind === 'gate' && isJsonObject(payload) ? payload[PROPOSED] : undefined;
  return isResolution(proposed) ? proposed : undefined;
}

/** Checks only the form: journaled resolutions were validated before. */
function isResolution(value: JsonValue | undefined): value is Resolution & JsonValue {
  return isJsonObject(value) && typeof value['action'] === 'string';
}
