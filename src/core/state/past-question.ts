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
  lost: "Part of this session's history is missing.",
} as const;

/** Creates the question of whether to continue a graph from the results in its history. */
export function pastDraft(frame: GraphFrame): InterruptDraft {
  const done = recordedAsDone(frame);
  const are = done.length === 1 ? 'is' : 'are';
  const recorded = `${count(done.length, 'step')} ${are} recorded as done`;
  const reason = `${PAST[frame.unconfirmed ?? 'elsewhere']} ${recorded}. Continue from there?`;
  return { kind: 'pause', source: { type: 'run' }, payload: { reason, done } };
}

/**
 * Returns the frame after an answer to a question about the run. An answer that continues the run from an
 * unconfirmed history confirms the listed steps (P2).
 */
export function confirmedBy(frame: GraphFrame, asked: Interrupt, { action }: Resolution): GraphFrame {
  if (action === 'cancel' || !asksAboutPast(frame, asked)) return frame;
  const { unconfirmed: _unconfirmed, ...members } = frame;
  return new GraphFrameOf(members);
}

/**
 * Returns the reason that an answer cannot continue a run from an unconfirmed history (P1); `undefined` if it
 * can.
 */
export function pastProblem(
  frame: GraphFrame,
  asked: Interrupt,
  { by, resolution }: { readonly by: Actor; readonly resolution: Resolution },
): string | undefined {
  if (by.type === 'person' || by.type === 'script' || resolution.action === 'cancel') return undefined;
  return asksAboutPast(frame, asked) ? 'only a person can continue from this history' : undefined;
}

function asksAboutPast(frame: GraphFrame, { kind, source, payload }: Interrupt): boolean {
  if (frame.unconfirmed === undefined || kind !== 'pause' || source.type !== 'run') return false;
  return jsonEquals(payload, pastDraft(frame).payload);
}

/**
 * Lists everything that is recorded as done: nodes, and the operations and answers of the code that is
 * running.
 */
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

/** Key in a gate's payload for the action that a model proposes after interpreting a message (N-5). */
export const PROPOSED = 'proposed';

/**
 * Key in a gate's payload for the text of a message. A gate with this key is about the message and is not one
 * of the node's own gates.
 */
export const MESSAGE = 'message';

/** Key in a payload for the changes since an earlier question, one per line. */
export const CHANGED = 'changed';

/** Whether a gate is about a message. An answer to it does not pass the node's own gate. */
export function isAboutMessage({ kind, payload }: Interrupt): boolean {
  return kind === 'gate' && isJsonObject(payload) && payload[MESSAGE] !== undefined;
}

/**
 * Returns the action proposed at a gate; `undefined` for other questions. `continue` applies the action and
 * `reject` discards it.
 */
export function proposalOf({ kind, payload }: Interrupt): Resolution | undefined {
  const proposed = kind === 'gate' && isJsonObject(payload) ? payload[PROPOSED] : undefined;
  return isResolution(proposed) ? proposed : undefined;
}

/** Whether a value has the form of a resolution. Journaled resolutions have already been validated. */
function isResolution(value: JsonValue | undefined): value is Resolution & JsonValue {
  return isJsonObject(value) && typeof value['action'] === 'string';
}
