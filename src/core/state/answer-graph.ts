import type { ResolvedInterrupt } from './call.js';
import { asksPeople } from './people-of-call.js';
import { differingOperation } from '../data/interrupt.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import { isJsonObject } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import type { Activation, GraphFrame } from './state.js';
import type { Terms } from '../question/terms.js';
import { termsOf } from '../question/terms.js';
import { placesBehind } from '../question/seal.js';
import { asksAgain, partsOf } from '../question/edits.js';
import { editState } from './edit-state.js';
import type { StateChanges } from './graph-state.js';
import { askingAnew } from './evolve-graph.js';
import type { OperationRecord } from './operation.js';
import { isInDoubt, isOver, isOperationGate, operationOf } from './operation.js';
import { answerDifference } from './answer-difference.js';
import { answerOperationGate } from './operation-gate.js';
import { GraphFrameOf } from './frame.js';
import { stateDigest } from './graph-state.js';
import { backTo, findTarget } from './live-path.js';
import { confirmedBy, isAboutMessage, proposalOf } from './past-question.js';

/** The frame after an answer to one of its own interrupts. */
export function answerGraph(frame: GraphFrame, answered: ResolvedInterrupt, at: string): GraphFrame {
  const { interrupt, resolution } = answered;
  if (frame.open?.id === interrupt.id)
    return answerFrame(confirmedBy(frame, interrupt, resolution), resolution);
  const { current } = frame;
  if (current === undefined) return frame;
  if (isOperationGate(interrupt)) {
    const decided = answerOperationGate(current, answered);
    if (decided !== undefined) return frame.with({ current: decided });
  }
  if (current.open?.id !== interrupt.id) return answerAsk(frame, current, answered);
  const { open: _open, ...closed } = current;
  if (interrupt.kind === 'gate') {
    const reopened = frame.with({ current: closed });
    const proposed = proposalOf(interrupt);
    // What was proposed is dropped: gates of the node itself are still to be asked.
    if (proposed !== undefined && resolution.action === 'reject') return reopened;
    const decision = resolution.action === 'continue' ? (proposed ?? resolution) : resolution;
    return answerGate(reopened, closed, {
      decision,
      at,
      passes: !isAboutMessage(interrupt),
      gate: interrupt,
      terms: termsOf(answered),
    });
  }
  const key = differingOperation(interrupt);
  const settled = key === undefined ? undefined : answerDifference(closed, interrupt, { key, resolution });
  if (settled !== undefined) return frame.with({ current: settled });
  return answerTrouble(frame.with({ current: closed }), closed, answered);
}

/** A limit or a pause of the run itself. */
function answerFrame(frame: GraphFrame, resolution: Resolution): GraphFrame {
  const { open: _open, ...members } = frame;
  const rest = new GraphFrameOf(members);
  if (resolution.action === 'extend')
    return rest.with({ maxIterations: frame.maxIterations + resolution.by });
  if (resolution.action === 'cancel') return cancelled(rest, resolution.reason);
  if (resolution.action === 'rerun' && rest.current !== undefined) {
    const { guidance } = resolution;
    return guidance === undefined ? rest : rest.with({ current: guided(rest.current, guidance) });
  }
  return rest;
}

function cancelled(frame: GraphFrame, reason: string | undefined): GraphFrame {
  return frame.with({ cancelled: reason === undefined ? {} : { reason } });
}

function guided(activation: Activation, guidance: string | undefined): Activation {
  return guidance === undefined
    ? activation
    : { ...activation, guidance: [...activation.guidance, guidance] };
}

function answerAsk(frame: GraphFrame, current: Activation, answered: ResolvedInterrupt): GraphFrame {
  const {
    interrupt: { id },
    resolution,
    secrets = [],
  } = answered;
  if (resolution.action !== 'respond') {
    // Asked anew, under a new id, when the run is taken up again.
    const asks = current.asks.filter(({ interrupt }) => interrupt.id !== id);
    return cancelled(
      frame.with({ current: { ...current, asks, status: 'entered' } }),
      resolution.action === 'cancel' ? resolution.reason : undefined,
    );
  }
  const at = placesBehind('output', secrets);
  const answer = { value: resolution.output, ...(at.length > 0 && { secrets: at }), ...keptTerms(answered) };
  const { size } = current.operations;
  const asks = current.asks.map((ask) =>
    ask.interrupt.id === id
      ? { ...ask, answer, ...(operationOf(ask.interrupt) !== undefined && { begun: size }) }
      : ask,
  );
  return frame.with({ current: { ...current, asks } });
}

/**
 * The gate before a node asks again: those who agreed that it runs did not say that it runs again
 * (V4 of `people-of-call.ts`).
 */
function unpassed(current: Activation): Activation {
  return { ...current, phase: 'before', passed: current.passed.filter((phase) => phase !== 'before') };
}

/** The limits of an answer, where it has any. */
function keptTerms(answered: ResolvedInterrupt): { readonly terms?: Terms } {
  const terms = termsOf(answered);
  return Object.keys(terms).length === 0 ? {} : { terms };
}

/** A doubt after a crash, or an error, of a node. */
function answerTrouble(frame: GraphFrame, current: Activation, answered: ResolvedInterrupt): GraphFrame {
  const { interrupt, resolution } = answered;
  const { kind, payload } = interrupt;
  const step = isJsonObject(payload) && typeof payload['step'] === 'string' ? payload['step'] : undefined;
  const { failedBy: _failedBy, ...before } = current;
  const entered: Activation = { ...before, status: 'entered', failures: 0 };
  const again = asksPeople(interrupt, current.people) ? entered : unpassed(entered);
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- a new action does not answer trouble until it is named here
  switch (resolution.action) {
    case 'respond': {
      if (step === undefined) {
        const output = { value: resolution.output };
        return frame.with({ current: { ...current, status: 'answered', output } });
      }
      const begun: Pick<OperationRecord, 'effect' | 'kind' | 'digest'> = current.operations.get(step) ?? {
        effect: 'once',
      };
      const { effect, kind: what, digest } = begun;
      const operations = current.operations.set(step, {
        status: 'settled',
        effect,
        output: resolution.output,
        ...(what !== undefined && { kind: what }),
        ...(digest !== undefined && { digest }),
      });
      return frame.with({ current: { ...again, operations } });
    }
    case 'retry': {
      // What is in doubt is another question (O2 of `operation.ts`).
      const all = current.operations
        .entries()
        .flatMap(([key, record]) => (isOver(record) || isInDoubt(record) ? [] : [key]));
      const begun = step === undefined ? all : [step];
      const { terms } = keptTerms(answered);
      const before = current.agreed?.before ?? terms;
      const tried: Activation = {
        ...again,
        phase: 'before',
        operations: current.operations.without(begun),
        ...(before !== undefined && { agreed: { ...current.agreed, before } }),
      };
      return frame.with({ current: kind === 'error' ? askingAnew(tried) : tried });
    }
    case 'skip':
      return frame.with({ current: { ...current, status: 'skipped', phase: 'route' } });
    case 'reject': {
      const error = { code: 'NODE_FAILED', message: resolution.reason ?? 'a person said that it failed' };
      return frame.with({ current: { ...current, status: 'failed', error, failedBy: 'person' } });
    }
    case 'go-back': {
      const target = findTarget(frame, resolution);
      return typeof target === 'string' ? frame : backTo(frame, target, []);
    }
    default:
      return cancelled(frame, resolution.action === 'cancel' ? resolution.reason : undefined);
  }
}

interface Decided {
  readonly decision: Resolution;
  readonly at: string;
  /** The gate is the node's own: the node may run then, or be left. */
  readonly passes: boolean;
  readonly gate: Interrupt;
  readonly terms: Terms;
}

function answerGate(
  frame: GraphFrame,
  current: Activation,
  { decision: resolution, at, passes, gate, terms }: Decided,
): GraphFrame {
  const parts = partsOf(resolution);
  const flow: Resolution = parts.flows[0] ?? { action: 'continue' };
  const { node, visit } = current;
  const noted = frame.with({
    todos: [...frame.todos, ...parts.notes.map((note) => ({ note, node, visit, at }))],
    conditions: parts.conditions.reduce((all, patch) => ({ ...all, ...patch }), frame.conditions),
  });
  // What takes work back does so first: the edits of the same answer stay (case 62).
  if (flow.action === 'rerun' && current.phase === 'after') {
    return editState(
      backTo(noted, current, flow.guidance === undefined ? [] : [flow.guidance]),
      parts.patches,
    );
  }
  if (flow.action === 'go-back') {
    const target = findTarget(noted, flow);
    return typeof target === 'string' ? frame : editState(backTo(noted, target, []), parts.patches);
  }
  const edited = editState(noted, parts.patches);
  // Nobody has agreed to what the run does with the new state: the gate is still to be passed.
  return asksAgain(resolution)
    ? edited
    : decided(edited, flow, { output: parts.output, passes, gate, terms });
}

function decided(
  frame: GraphFrame,
  flow: Resolution,
  {
    output,
    passes,
    gate,
    terms,
  }: { readonly output: { readonly value: JsonValue } | undefined } & Pick<
    Decided,
    'passes' | 'gate' | 'terms'
  >,
): GraphFrame {
  const { current } = frame;
  if (current === undefined) return frame;
  const phase = current.phase === 'before' ? 'before' : 'after';
  // An output that a person gave goes into the state only then: nothing else can come between.
  const held = output === undefined ? { held: { ...current.held, [phase]: stateDigest(frame.values) } } : {};
  const passed: Activation = passes
    ? {
        ...agreedBy(current, phase, gate),
        passed: [...current.passed, phase],
        ...held,
        ...((Object.keys(terms).length > 0 || current.agreed !== undefined) && {
          agreed: { ...current.agreed, [phase]: terms },
        }),
      }
    : current;
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- `allowed` names what a gate takes; the rest does not get here
  switch (flow.action) {
    case 'skip':
      return frame.with({ current: { ...current, status: 'skipped', phase: 'route' } });
    case 'goto': {
      const left: Activation = phase === 'before' ? { ...current, status: 'skipped' } : current;
      const { current: _current, ...rest } = frame;
      const next = { node: flow.node, guidance: [], edits: [] };
      return new GraphFrameOf({ ...rest, history: frame.history.append(left), next });
    }
    case 'reject': {
      if (phase === 'before')
        return frame.with({ current: { ...current, status: 'rejected', phase: 'route' } });
      const { undo, output: _output, ...rest } = current;
      return takenBack(frame, undo).with({ current: { ...rest, rejection: flow.reason ?? '' } });
    }
    case 'edit-input':
      return frame.with({ current: { ...passed, input: { value: flow.value } } });
    case 'rerun':
      return frame.with({ current: guided(passed, flow.guidance) });
    case 'cancel':
      return cancelled(frame, flow.reason);
    default:
      if (output === undefined || phase === 'before') return frame.with({ current: passed });
      return takenBack(frame, current.undo).with({
        current: { ...passed, status: 'answered', phase: 'run', output },
      });
  }
}

/** Keeps who agreed that the node runs; what was agreed to before counts no more once its gate asks again. */
function agreedBy(current: Activation, phase: 'before' | 'after', { approvers }: Interrupt): Activation {
  if (phase === 'after') return current;
  const { people: _before, ...rest } = current;
  return approvers === undefined ? rest : { ...rest, people: approvers };
}

function takenBack(frame: GraphFrame, undo: StateChanges | undefined): GraphFrame {
  return undo === undefined ? frame : frame.with({ values: frame.values.undo([undo]) });
}
