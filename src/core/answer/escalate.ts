import type { Call } from '../state/call.js';
import { isExpired } from './expiry.js';
import type { SessionEvent } from '../state/event.js';
import type { Interrupt, ApprovalPolicy } from '../data/interrupt.js';
import { digestOf } from '../data/digest.js';
import { jsonEquals } from '../data/json.js';
import type { GraphFrame, RunState } from '../state/state.js';
import { openInterrupt } from '../state/state.js';
import { timeOf } from '../data/duration.js';
import { approversJson, succeeding } from '../question/approvers.js';

/** Returns the state after an expired question has been escalated to someone else. */
export function escalate(
  state: RunState,
  { id, interrupt: next }: SessionEvent & { type: 'interrupt-escalated' },
  illegal: (why: string) => never,
): RunState {
  const before = openInterrupt(state, id);
  if (before === undefined) return illegal(`interrupt \`${id}\` is not open`);
  if (before.onTimeout?.action !== 'escalate' || !isExpired(before, timeOf(next.raisedAt)))
    return illegal(`\`${id}\` is not due for escalation`);
  if (next.escalated?.id !== id || askedOf(next) !== askedOf(before))
    return illegal(`\`${next.id}\` asks a different question from \`${id}\``);
  const { approvers: said } = before.onTimeout;
  const people = succeeding(before.approvers, said); // T4
  // Up to version 0.2.0 whom it named took the place of all that was demanded before: such a journal still folds.
  const isOlder =
    said !== undefined && next.escalated.approvers === undefined && sameApprovers(next.approvers, said);
  if (!sameApprovers(next.approvers, people) && !isOlder)
    return illegal(`\`${next.id}\` does not have the approvers that \`${id}\` specified`);
  const swap = (one: Interrupt): Interrupt => (one.id === id ? next : one);
  return {
    ...state,
    interruptCount: state.interruptCount + 1,
    ...(state.open && { open: { ...state.open, calls: state.open.calls.map((call) => inCall(call, swap)) } }),
    ...(state.asks && { asks: swap(state.asks) }),
    ...(state.graph && { graph: inGraph(state.graph, swap) }),
  };
}

/** Returns a question's content, without its recipient and deadline. */
function askedOf({
  kind,
  path,
  source,
  payload,
  answerSchema,
  allowed,
  bound,
  approvalLastsMs: lasts,
}: Interrupt): string {
  const rest = {
    ...(lasts !== undefined && { lasts }),
    ...(answerSchema && { answerSchema }),
    ...(bound && { bound: { ...bound } }),
  };
  return digestOf({ kind, path, source: { ...source }, payload, allowed: [...allowed], ...rest });
}

function sameApprovers(one: ApprovalPolicy | undefined, other: ApprovalPolicy | undefined): boolean {
  return jsonEquals(approversJson(one ?? {}), approversJson(other ?? {}));
}

type Swap = (interrupt: Interrupt) => Interrupt;

function inCall(call: Call, swap: Swap): Call {
  const { state } = call;
  return state.status === 'interrupted'
    ? { ...call, state: { ...state, interrupt: swap(state.interrupt) } }
    : call;
}

/** Replaces one of the graph's own questions. Runs inside nodes have their own states. */
function inGraph(frame: GraphFrame, swap: Swap): GraphFrame {
  const { open, current } = frame;
  return frame.with({
    ...(open && { open: swap(open) }),
    ...(current && {
      current: {
        ...current,
        ...(current.open && { open: swap(current.open) }),
        asks: current.asks.map((ask) => ({ ...ask, interrupt: swap(ask.interrupt) })),
      },
    }),
  });
}
