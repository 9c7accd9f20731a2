import type {
  Activation,
  Actor,
  GraphFrame,
  Interrupt,
  InterruptDraft,
  JsonObject,
  NodeSource,
  ResolutionAction,
  GraphState,
  JsonValue,
  RunState,
} from '../../core/index.js';
import {
  allowedActions,
  CHANGED,
  deadlineOf,
  HitlError,
  keptApprovers,
  memberDifferences,
  membersOf,
  ownOf,
  partsOf,
  present,
  reduceValue,
  stateDigest,
  timeoutProblem,
  isJsonObject,
} from '../../core/index.js';
import type { NodeDefinition, NodeQuestion } from '../definition/graph-definition.js';
import type { OperationAbout } from '../definition/code-operations.js';

/**
 * Actions that are not offered at the gate of a human node, because they would prevent the node's question
 * from being asked.
 */
const NOT_OF_PEOPLE: ReadonlySet<ResolutionAction> = new Set<ResolutionAction>(['skip', 'edit-input']);

function source(current: Activation, phase: 'before' | 'run' | 'after'): NodeSource {
  return { type: 'node', nodeId: current.node, visit: current.visit, phase };
}

/** Creates a gate's question, which shows the state before the node, or the result after it. */
export function gateDraft(
  frame: GraphFrame,
  current: Activation,
  node: NodeDefinition,
  phase: 'before' | 'after',
): InterruptDraft {
  const prompt = node.gate?.prompt;
  const { output, rejection } = current;
  const payload: JsonObject = {
    ...(prompt !== undefined && { prompt }),
    ...(rejection !== undefined && phase === 'after' && { rejected: rejection }),
    ...(phase === 'after' && output !== undefined && { output: output.value }),
    ...(phase === 'before' && { state: frame.state }),
    stateDigest: stateDigest(frame.values),
  };
  const from = source(current, phase);
  const all = allowedActions('gate', from);
  const allowed = node.kind === 'human' ? all.filter((action) => !NOT_OF_PEOPLE.has(action)) : all;
  const { gate = {} } = node;
  return { kind: 'gate', source: from, payload, allowed, ...deadlineOf(gate), ...keptApprovers(gate) };
}

/** Creates a question asked by a node's body. @throws HitlError BAD_CONFIG for an invalid deadline. */
export function questionDraft(
  current: Activation,
  { prompt, schema, payload, event, wait, ...time }: NodeQuestion,
): InterruptDraft {
  const deadline = { ...deadlineOf(time), ...keptApprovers(time) };
  const answer = schema !== undefined && { answerSchema: schema };
  const { onTimeout, ...asked } = deadline;
  const wrong = timeoutProblem({ kind: 'question', ...answer, ...asked }, onTimeout);
  if (wrong !== undefined) throw new HitlError('BAD_CONFIG', wrong);
  const asker = source(current, 'run');
  return {
    kind: 'question',
    source: { ...asker, ...present({ event, wait }) },
    payload: { question: prompt, ...(payload !== undefined && { details: payload }) },
    ...answer,
    ...deadline,
  };
}

/**
 * Creates the question about a body or step whose outcome is unknown. For tool calls, see
 * `engine/active-run.ts`.
 */
export function doubtDraft(current: Activation, step: string | undefined): InterruptDraft {
  const from = source(current, 'run');
  if (step === undefined) {
    const { attempts: attempt, startedAt } = current;
    return { kind: 'in-doubt', source: from, payload: { attempt, ...present({ startedAt }) } };
  }
  const begun = current.operations.get(step);
  const failures = begun?.status === 'started' ? (begun.failures ?? 0) : 0;
  return {
    kind: 'in-doubt',
    source: { ...from, operation: step },
    payload: {
      attempt: begun?.kind === undefined ? current.attempts : failures + 1,
      ...present({ startedAt: begun?.startedAt ?? current.startedAt }),
      step,
      ...present({ does: begun?.kind, of: begun?.title }),
    },
  };
}

/** Creates the question about a node whose attempts have all failed. */
export function errorDraft(current: Activation): InterruptDraft {
  const { code = 'NODE_FAILED', message = 'no reason given' } = current.error ?? {};
  return {
    kind: 'error',
    source: source(current, 'run'),
    payload: { code, message, attempts: current.attempts, ...failedOperation(current) },
  };
}

/** Returns the operation whose failure the code did not handle, with its title. */
function failedOperation({ operations, error }: Activation): JsonObject {
  const entries = operations.entries();
  const last = entries.findLast(
    ([, one]) =>
      one.status === 'failed' && one.begun === entries.length && one.error.message === error?.message,
  );
  return last === undefined ? {} : { operation: last[0], ...present({ of: last[1].title }) };
}

/** Creates the question for a run that has reached its limit of iterations. */
export function limitDraft(max: number, spent: number): InterruptDraft {
  return { kind: 'limit', source: { type: 'run' }, payload: { limit: 'iterations', max, spent } };
}

/** An operation of workflow code that has not started yet. */
export interface GatedOperation {
  readonly key: string;
  readonly digest: string;
  readonly about: OperationAbout;
  /** The reasons that an earlier approval is no longer valid. */
  readonly lapsed: readonly string[];
  /** Gates that have not matched any operation so far and may be meant for this one. */
  readonly unmet: readonly string[];
}

/**
 * Creates the question at an operation's gate. Shows the operation that would run, and how it differs from an
 * earlier approval.
 */
export function operationGateDraft(
  current: Activation,
  { key, digest, about: { kind, of }, lapsed, unmet }: GatedOperation,
  before: Interrupt | undefined,
): InterruptDraft {
  const from: NodeSource = { ...source(current, 'before'), operation: key };
  const shown = { does: kind, ...(of !== undefined && { input: of }) };
  const { plan: _plan, ...was } = membersOf(before?.payload);
  const { [CHANGED]: _changed, why: _why, ...same } = was;
  const changed = [...lapsed, ...(before === undefined ? [] : memberDifferences(same, shown))];
  const why = unmet.length > 0 && {
    why: `gates with no matching operation so far: \`${unmet.join('`, `')}\``,
  };
  const payload = {
    ...shown,
    ...why,
    ...(changed.length > 0 && { [CHANGED]: changed }),
    plan: { kind, digest },
  };
  return { kind: 'gate', source: from, payload, allowed: allowedActions('gate', from) };
}

interface Instead {
  readonly state: GraphState;
  /** The answered question that this one replaces. */
  readonly instead: Interrupt | undefined;
}

/** Adds the changes since an earlier version of a question to the question. */
export function withChanges(
  draft: InterruptDraft,
  { since }: Activation,
  { state, instead }: Instead,
): InterruptDraft {
  if (since !== undefined) {
    const keys = [...Object.keys(since.set), ...(since.unset ?? [])];
    const now = keys.flatMap((key) => {
      const value = state.get(key);
      return value === undefined ? [] : [[key, value] as const];
    });
    return changed(draft, memberDifferences(since.set, Object.fromEntries(now)));
  }
  if (instead === undefined) return draft;
  return changed(
    draft,
    memberDifferences(membersOf(withoutChanges(instead.payload)), membersOf(draft.payload)),
  );
}

/**
 * Adds two things to a gate that asks again: the reasons that its approval is no longer valid, and the
 * differences from the state that the gate showed. Changes made by the person who answered are left out;
 * changes made by a message are included.
 */
export function gateChanges(
  draft: InterruptDraft,
  { resolved }: RunState,
  { reducers }: Pick<GraphFrame, 'reducers'>,
  lapsed: readonly string[] = [],
): InterruptDraft {
  const { source, payload } = draft;
  if (source.type !== 'node') return draft;

  const asked = resolved.findLast(
    ({ interrupt }) =>
      interrupt.kind === 'gate' && interrupt.source.type === 'node' && isSamePlace(interrupt.source, source),
  );
  const [old, now] = [membersOf(asked?.interrupt.payload)['state'], membersOf(payload)['state']];
  if (asked === undefined || old === undefined || now === undefined) return changed(draft, lapsed);
  const edits = isAnsweredThere(asked.by) ? partsOf(asked.resolution).patches : [];
  const edited = edits.reduce((state, patch) => {
    const set = Object.entries(patch).flatMap(([key, value]): [string, JsonValue][] => {
      const reduced = reduceValue(ownOf(reducers, key), ownOf(state, key), value);
      return reduced === undefined ? [] : [[key, reduced]];
    });
    return { ...state, ...Object.fromEntries(set) };
  }, membersOf(old));
  return changed(draft, [...lapsed, ...memberDifferences(edited, membersOf(now))]);
}

/** Whether a person answered at a terminal, where the question will be shown again. */
function isAnsweredThere(by: Actor): boolean {
  return by.type === 'person' && by.via === 'terminal';
}

function isSamePlace(left: NodeSource, right: NodeSource): boolean {
  return left.nodeId === right.nodeId && left.visit === right.visit && left.phase === right.phase;
}

function changed(draft: InterruptDraft, lines: readonly string[]): InterruptDraft {
  if (lines.length === 0) return draft;
  return { ...draft, payload: { ...membersOf(draft.payload), [CHANGED]: lines } };
}

/** Adds the reasons that the previous answer to a question is no longer valid. */
export function lapsedAnswer(draft: InterruptDraft, lines: readonly string[]): InterruptDraft {
  return changed(draft, lines);
}

/** Adds a note that the secret answer to a question was lost when the process that held it ended. */
export function askedAgain(draft: InterruptDraft): InterruptDraft {
  return changed(draft, [
    'a secret was typed into a process that has ended, and was not saved: type it again',
  ]);
}

/** Removes the list of changes since an earlier version of a question. */
export function withoutChanges(payload: JsonValue): JsonValue {
  if (!isJsonObject(payload)) return payload;
  const { [CHANGED]: _changed, ...rest } = payload;
  return rest;
}
