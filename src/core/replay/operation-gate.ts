import type { Interrupt } from '../interrupt.js';
import { membersOf } from '../json/index.js';
import type { OperationGates, OperationPlan, OperationRecord } from '../operation/index.js';
import { isGated, isOperationGate, OPERATION_KINDS, operationOf } from '../operation/index.js';
import type { Resolution } from '../resolution.js';
import type { Activation } from '../state.js';

type Ask = Activation['asks'][number];

/** The state of the gate before an operation; `shut`: nobody was asked, or about something else. */
export type GateState = 'none' | 'shut' | 'open' | 'passed';

/**
 * Compares an operation with what a person agreed to: the one place where that is decided, by the run before it begins and
 * by the fold when it has (law A). What began once needs no other yes.
 */
export function gateState(
  gates: OperationGates | undefined,
  { operations, asks }: Pick<Activation, 'operations' | 'asks'>,
  plan: OperationPlan,
): GateState {
  if (operations.get(plan.key) !== undefined || !isGated(gates, plan)) return 'none';
  const gate = asks.findLast((ask) => isGateOf(ask, plan.key));
  if (gate === undefined) return 'shut';
  if (gate.answer === undefined) return 'open';
  return planOf(gate.interrupt).digest === plan.digest ? 'passed' : 'shut';
}

/** Says why an operation may not begin; `undefined` where it may. */
export function gateProblem(
  gates: OperationGates | undefined,
  current: Activation,
  plan: OperationPlan,
): string | undefined {
  const state = gateState(gates, current, plan);
  return state === 'none' || state === 'passed' ? undefined : `nobody agreed to \`${plan.key}\` as it begins`;
}

/** The last gate before an operation. */
export function gateAt({ asks }: Pick<Activation, 'asks'>, key: string): Ask | undefined {
  return asks.findLast((ask) => isGateOf(ask, key));
}

/** The operations at whose gates people are asked. */
export function openGates({ asks }: Activation): readonly string[] {
  return asks.flatMap(({ interrupt, answer }) => {
    const key = operationOf(interrupt);
    return answer !== undefined || key === undefined || !isOperationGate(interrupt) ? [] : [key];
  });
}

/** The activation after an answer to the gate before an operation; `undefined` for what ends the run. */
export function answerOperationGate(
  current: Activation,
  interrupt: Interrupt,
  resolution: Resolution,
): Activation | undefined {
  const { id } = interrupt;
  const key = operationOf(interrupt);
  if (key === undefined) return undefined;
  if (resolution.action === 'continue') {
    const asks = current.asks.map((ask) =>
      ask.interrupt.id === id ? { ...ask, answer: { value: true } } : ask,
    );
    return { ...current, asks };
  }
  if (resolution.action === 'respond')
    return endedAtGate(current, key, { status: 'settled', output: resolution.output });
  if (resolution.action !== 'reject') return undefined;
  const message = resolution.reason ?? 'a person did not let it begin';
  return failedAtGate(current, key, { code: 'NODE_FAILED', message });
}

/** The activation in which an operation failed before it began. */
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
