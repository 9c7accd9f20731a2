import type { ResolvedInterrupt } from './call.js';
import type { Interrupt } from '../data/interrupt.js';
import { membersOf } from '../data/json.js';
import type { OperationGates, OperationPlan, OperationRecord } from './operation.js';
import { isGated, isOperationGate, nameOfKey, operationOf, OPERATION_KINDS } from './operation.js';
import type { Start } from '../question/terms.js';
import { termsOf, termsProblems, used } from '../question/terms.js';
import type { Activation } from './state.js';

type Ask = Activation['asks'][number];

/**
 * State of the gate before an operation. `shut`: the gate has not asked yet, or its approval is for something
 * else or has expired.
 */
export type GateState = 'none' | 'shut' | 'open' | 'passed';

/**
 * Compares an operation with the one that was approved. This is the only function that does so, both before
 * the operation starts and when the journal is read afterwards (law A). A started operation does not need
 * another approval.
 */
export function gateState(
  gates: OperationGates | undefined,
  { operations, asks }: Pick<Activation, 'operations' | 'asks'>,
  plan: OperationPlan,
  start: Start,
): GateState {
  if (operations.get(plan.key) !== undefined || !isGated(gates, plan)) return 'none';
  const gate = asks.findLast((ask) => isGateOf(ask, plan.key));
  if (gate === undefined) return 'shut';
  if (gate.answer === undefined) return 'open';
  if (planOf(gate.interrupt).digest !== plan.digest) return 'shut';
  return lapsedGate(gate, start).length === 0 ? 'passed' : 'shut';
}

/** Lists the reasons that the approval from an operation's gate does not cover a start; empty if it does. */
export function lapsedGate({ interrupt, answer }: Ask, start: Start): readonly string[] {
  const key = operationOf(interrupt) ?? '';
  return answer?.terms === undefined
    ? []
    : termsProblems(answer.terms, start, { what: nameOfKey(key), done: 'approved' });
}

/** Marks the approval from an operation's gate as used when the operation starts. */
export function withUsedGate(current: Activation, key: string): Activation {
  const gate = gateAt(current, key);
  if (gate?.answer?.terms?.age === undefined) return current;
  const answer = { ...gate.answer, terms: used(gate.answer.terms) };
  return { ...current, asks: current.asks.map((ask) => (ask === gate ? { ...gate, answer } : ask)) };
}

/** Returns the reason that an operation must not start; `undefined` if it may. */
export function gateProblem(
  gates: OperationGates | undefined,
  current: Activation,
  plan: OperationPlan,
  start: Start,
): string | undefined {
  const state = gateState(gates, current, plan, start);
  return state === 'none' || state === 'passed' ? undefined : `the plan of \`${plan.key}\` was not approved`;
}

/** Returns the latest gate before an operation. */
export function gateAt({ asks }: Pick<Activation, 'asks'>, key: string): Ask | undefined {
  return asks.findLast((ask) => isGateOf(ask, key));
}

/** Returns the keys of the operations with open gates. */
export function openGates({ asks }: Activation): readonly string[] {
  return asks.flatMap(({ interrupt, answer }) => {
    const key = operationOf(interrupt);
    return answer !== undefined || key === undefined || !isOperationGate(interrupt) ? [] : [key];
  });
}

/**
 * Returns the activation after the gate before an operation has been answered; `undefined` if the run ends.
 */
export function answerOperationGate(
  current: Activation,
  answered: ResolvedInterrupt,
): Activation | undefined {
  const { interrupt, resolution } = answered;
  const { id } = interrupt;
  const key = operationOf(interrupt);
  if (key === undefined) return undefined;
  if (resolution.action === 'continue') {
    const asks = current.asks.map((ask) =>
      ask.interrupt.id === id ? { ...ask, answer: { value: true, terms: termsOf(answered) } } : ask,
    );
    return { ...current, asks };
  }
  if (resolution.action === 'respond')
    return endedAtGate(current, key, { status: 'settled', output: resolution.output });
  if (resolution.action !== 'reject') return undefined;
  const message = resolution.reason ?? 'rejected by a person';
  return failedAtGate(current, key, { code: 'NODE_FAILED', message });
}

/** Records that an operation failed before it started. */
export function failedAtGate(
  current: Activation,
  key: string,
  error: Extract<OperationRecord, { readonly status: 'failed' }>['error'],
): Activation {
  return endedAtGate(current, key, { status: 'failed', error, begun: current.operations.size + 1 });
}

type End =
  | Pick<Extract<OperationRecord, { readonly status: 'settled' }>, 'status' | 'output'>
  | Pick<Extract<OperationRecord, { readonly status: 'failed' }>, 'status' | 'error' | 'begun'>;

function endedAtGate(current: Activation, key: string, end: End): Activation {
  const gate = gateAt(current, key);
  const plan = gate === undefined ? {} : planOf(gate.interrupt);
  return {
    ...current,
    asks: current.asks.filter((ask) => ask !== gate),
    operations: current.operations.set(key, { ...plan, effect: 'none', ...end }),
  };
}

function isGateOf({ interrupt }: Ask, key: string): boolean {
  return isOperationGate(interrupt) && operationOf(interrupt) === key;
}

function planOf({ payload }: Interrupt): Pick<OperationRecord, 'kind' | 'digest'> {
  const { kind, digest } = membersOf(membersOf(payload)['plan']);
  const known = OPERATION_KINDS.find((one) => one === kind);
  return { ...(known !== undefined && { kind: known }), ...(typeof digest === 'string' && { digest }) };
}
