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

/** Actions that would come between a person and the node's question for that person. */
const NOT_OF_PEOPLE: ReadonlySet<ResolutionAction> = new Set<ResolutionAction>(['skip', 'edit-input']);

function source(current: Activation, phase: 'before' | 'run' | 'after'): NodeSource {
  return { type: 'node', nodeId: current.node, visit: current.visit, phase };
}

/** Creates a gate's question: what would run, or its result. */
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

/** Creates the question that a node's body asks. @throws HitlError BAD_CONFIG for an invalid deadline. */
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
 * Creates the question about a body or step with an unknown outcome. For a tool's call see
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

/** Creates the question about a node that failed after all attempts. */
export function errorDraft(current: Activation): InterruptDraft {
  const { code = 'NODE_FAILED', message = 'no reason given' } = current.error ?? {};
  return {
    kind: 'error',
    source: source(current, 'run'),
    payload: { code, message, attempts: current.attempts, ...failedOperation(current) },
  };
}

/** Returns the operation whose failure the code did not handle, and its subject. */
function failedOperation({ operations, error }: Activation): JsonObject {
  const entries = operations.entries();
  const last = entries.findLast(
    ([, one]) =>
      one.status === 'failed' && one.begun === entries.length && one.error.message === error?.message,
  );
  return last === undefined ? {} : { operation: last[0], ...present({ of: last[1].title }) };
}

/** The run reached its limit of nodes. */
export function limitDraft(max: number, spent: number): InterruptDraft {
  return { kind: 'limit', source: { type: 'run' }, payload: { limit: 'iterations', max, spent } };
}

/** An operation of workflow code before its start. */
export interface GatedOperation {
  readonly key: string;
  readonly digest: string;
  readonly about: OperationAbout;
  /** Why an earlier approval is void. */
  readonly lapsed: readonly string[];
  /** Gates that have matched no operation so far: this one may be meant. */
  readonly unmet: readonly string[];
}

/**
 * Creates the question of an operation's gate: what would run, and how it differs from an earlier approval.
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
    why: `no operation was named \`${unmet.join('`, `')}\` so far, which a gate names`,
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
  /** The answered question that is asked here again. */
  readonly instead: Interrupt | undefined;
}

/** Adds the changes since an earlier question. */
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
 * A gate with why its yes does not count any more, and how the state is not the one that it showed, where it asks again.
 * What the person who was asked changed is no difference; what a message changed is one.
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

/** True for somebody who had the question before them: it is shown again to them. */
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

/** Creates a question whose answer is void, with the reason. */
export function lapsedAnswer(draft: InterruptDraft, lines: readonly string[]): InterruptDraft {
  return changed(draft, lines);
}

/** A question whose secret answer was lost with its process. */
export function askedAgain(draft: InterruptDraft): InterruptDraft {
  return changed(draft, [
    'a secret was typed into a process that has ended, and was not saved: type it again',
  ]);
}

/** Removes the changes since an earlier question. */
export function withoutChanges(payload: JsonValue): JsonValue {
  if (!isJsonObject(payload)) return payload;
  const { [CHANGED]: _changed, ...rest } = payload;
  return rest;
}
