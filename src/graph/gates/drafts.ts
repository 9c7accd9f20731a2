import type {
  Activation,
  GraphFrame,
  Interrupt,
  InterruptDraft,
  JsonObject,
  NodeSource,
  ResolutionAction,
} from '../../core/index.js';
import {
  allowedActions,
  CHANGED,
  deadlineOf,
  HitlError,
  keptApprovers,
  memberDifferences,
  membersOf,
  present,
  stateDigest,
  timeoutProblem,
} from '../../core/index.js';
import type { NodeDefinition, NodeQuestion } from '../graph-definition.js';
import type { OperationAbout } from '../operations.js';

/** The actions that would come between a person and the question that the node asks that person. */
const NOT_OF_PEOPLE: ReadonlySet<ResolutionAction> = new Set<ResolutionAction>(['skip', 'edit-input']);

function source(current: Activation, phase: 'before' | 'run' | 'after'): NodeSource {
  return { type: 'node', nodeId: current.node, visit: current.visit, phase };
}

/** The question of a gate: what would run, or what came of it. */
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

/** A question that a node's body asks. @throws HitlError BAD_CONFIG for a deadline that cannot be kept. */
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

/** The question how a body, or a step of it, ended: nobody knows. That of a tool's call is in `engine/active-run.ts`. */
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

/** A node failed for good, and a person is to say what now. */
export function errorDraft(current: Activation): InterruptDraft {
  const { code = 'NODE_FAILED', message = 'no reason given' } = current.error ?? {};
  return {
    kind: 'error',
    source: source(current, 'run'),
    payload: { code, message, attempts: current.attempts, ...failedOperation(current) },
  };
}

/** The operation whose failure its code did nothing about, and what it was about. */
function failedOperation({ operations, error }: Activation): JsonObject {
  const entries = operations.entries();
  const last = entries.findLast(
    ([, one]) =>
      one.status === 'failed' && one.begun === entries.length && one.error.message === error?.message,
  );
  return last === undefined ? {} : { operation: last[0], ...present({ of: last[1].title }) };
}

/** The run has entered as many nodes as it may. */
export function limitDraft(max: number, spent: number): InterruptDraft {
  return { kind: 'limit', source: { type: 'run' }, payload: { limit: 'iterations', max, spent } };
}

/** An operation of a workflow's code before it begins. */
export interface GatedOperation {
  readonly key: string;
  readonly digest: string;
  readonly about: OperationAbout;
  /** Why an earlier yes does not count any more. */
  readonly lapsed: readonly string[];
  /** The gates that have met no operation so far: this one is asked about as it may be meant. */
  readonly unmet: readonly string[];
}

/** The question of the gate before an operation: what would be done, and what a person agreed to before that is not it. */
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
