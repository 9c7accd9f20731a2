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

/** Returns the frame after one of its own interrupts has been answered. */
export function answerGraph(frame: GraphFrame, answered: ResolvedInterrupt, at: string): GraphFrame {
  const { interrupt, resolution } = answered;
  const { current } = frame;
  if (frame.open?.id === interrupt.id)
    return answerRun(confirmedBy(frame, interrupt, resolution), resolution);
  if (current === undefined) return frame;
  if (isOperationGate(interrupt)) {
    const decided = answerOperationGate(current, answered);
    if (decided !== undefined) return frame.with({ current: decided });
  }
  if (current.open?.id !== interrupt.id) return answerAsk(frame, current, answered);
  const { open: _open, ...closed } = current;
  const asked = frame.with({ current: closed });
  if (interrupt.kind === 'gate') return answerGate(asked, closed, answered, at);
  const key = differingOperation(interrupt);
  const settled = key === undefined ? undefined : answerDifference(closed, interrupt, { key, resolution });
  return settled === undefined ? answerTrouble(asked, closed, answered) : frame.with({ current: settled });
}

/** Applies an answer to a limit or a pause of the run itself. */
function answerRun(frame: GraphFrame, resolution: Resolution): GraphFrame {
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

/** Applies the answer to a question from a node's body or from an operation in its code. */
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
 * Applies the answer to a node's gate, or to a proposal made at the gate: first the notes and edits, then the
 * action that continues the run.
 */
function answerGate(
  frame: GraphFrame,
  current: Activation,
  answered: ResolvedInterrupt,
  at: string,
): GraphFrame {
  const { interrupt, resolution: given } = answered;
  const proposed = proposalOf(interrupt);
  // What was proposed is dropped: gates of the node itself are still to be asked.
  if (proposed !== undefined && given.action === 'reject') return frame;
  const resolution = given.action === 'continue' ? (proposed ?? given) : given;
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
  if (asksAgain(resolution)) return edited;
  return decided(edited, flow, {
    output: parts.output,
    gate: interrupt,
    terms: termsOf(answered),
  });
}

interface Decided {
  /** A person's replacement for the node's output. */
  readonly output: { readonly value: JsonValue } | undefined;
  readonly gate: Interrupt;
  readonly terms: Terms;
}

/** Applies the action that continues the run after a gate. */
function decided(frame: GraphFrame, flow: Resolution, { output, gate, terms }: Decided): GraphFrame {
  const { current } = frame;
  if (current === undefined) return frame;
  const phase = current.phase === 'before' ? 'before' : 'after';
  // A gate of the node itself is passed by this; a message about the run passes none.
  const passed = isAboutMessage(gate) ? current : passing(current, phase, { frame, output, gate, terms });
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- `allowed` names what a gate takes; the rest does not get here
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

/** Marks the gate as passed, so that it does not ask about the same content again. */
function passing(
  current: Activation,
  phase: 'before' | 'after',
  { frame, output, gate, terms }: Decided & { readonly frame: GraphFrame },
): Activation {
  // An output that a person gave goes into the state only then: nothing else can come between.
  const held = output === undefined ? { held: { ...current.held, [phase]: stateDigest(frame.values) } } : {};
  return {
    ...agreedBy(current, phase, gate),
    passed: [...current.passed, phase],
    ...held,
    ...((Object.keys(terms).length > 0 || current.agreed !== undefined) && {
      agreed: { ...current.agreed, [phase]: terms },
    }),
  };
}

/** Records the approvers required by the node's gate. They replace those of an earlier question. */
function agreedBy(current: Activation, phase: 'before' | 'after', { approvers }: Interrupt): Activation {
  if (phase === 'after') return current;
  const { people: _before, ...rest } = current;
  return approvers === undefined ? rest : { ...rest, people: approvers };
}

/** Applies the answer to a question about a failed node, or about a node that is in doubt after a crash. */
function answerTrouble(frame: GraphFrame, current: Activation, answered: ResolvedInterrupt): GraphFrame {
  const { interrupt, resolution } = answered;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a new action does not answer trouble until it is named here
  switch (resolution.action) {
    case 'respond':
      return frame.with({ current: withResult(current, interrupt, resolution.output) });
    case 'retry':
      return frame.with({ current: triedAgain(current, answered) });
    case 'skip':
      return frame.with({ current: { ...current, status: 'skipped', phase: 'route' } });
    case 'reject': {
      const error = { code: 'NODE_FAILED', message: resolution.reason ?? 'marked as failed by a person' };
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

/** Records a result that a person provided for the node, or for the step that the question is about. */
function withResult(current: Activation, interrupt: Interrupt, output: JsonValue): Activation {
  const step = stepOf(interrupt);
  if (step === undefined) return { ...current, status: 'answered', output: { value: output } };
  const begun: Pick<OperationRecord, 'effect' | 'kind' | 'digest'> = current.operations.get(step) ?? {
    effect: 'once',
  };
  const { effect, kind, digest } = begun;
  const operations = current.operations.set(step, {
    status: 'settled',
    effect,
    output,
    ...(kind !== undefined && { kind }),
    ...(digest !== undefined && { digest }),
  });
  return { ...entered(current, interrupt), operations };
}

/**
 * Runs the node again and repeats work that was started but not finished. An operation in doubt has its own
 * question (O2 of `operation.ts`).
 */
function triedAgain(current: Activation, answered: ResolvedInterrupt): Activation {
  const { interrupt } = answered;
  const step = stepOf(interrupt);
  const all = current.operations
    .entries()
    .flatMap(([key, record]) => (isOver(record) || isInDoubt(record) ? [] : [key]));
  const before = current.agreed?.before ?? keptTerms(answered).terms;
  const tried: Activation = {
    ...entered(current, interrupt),
    phase: 'before',
    operations: current.operations.without(step === undefined ? all : [step]),
    ...(before !== undefined && { agreed: { ...current.agreed, before } }),
  };
  return interrupt.kind === 'error' ? askingAnew(tried) : tried;
}

/** Returns the name of the step that a question is about; `undefined` for the node itself. */
function stepOf({ payload }: Interrupt): string | undefined {
  return isJsonObject(payload) && typeof payload['step'] === 'string' ? payload['step'] : undefined;
}

/**
 * Enters the node again. Its gate asks again unless this question was already put to the gate's approvers,
 * because approval of a run does not cover a repetition (V4 of `people-of-call.ts`).
 */
function entered(current: Activation, interrupt: Interrupt): Activation {
  const { failedBy: _failedBy, ...before } = current;
  const anew: Activation = { ...before, status: 'entered', failures: 0 };
  if (asksPeople(interrupt, current.people)) return anew;
  return { ...anew, phase: 'before', passed: anew.passed.filter((phase) => phase !== 'before') };
}

/** Returns the limits of an approval, if any. */
function keptTerms(answered: ResolvedInterrupt): { readonly terms?: Terms } {
  const terms = termsOf(answered);
  return Object.keys(terms).length === 0 ? {} : { terms };
}

function cancelled(frame: GraphFrame, reason: string | undefined): GraphFrame {
  return frame.with({ cancelled: reason === undefined ? {} : { reason } });
}

function guided(activation: Activation, guidance: string | undefined): Activation {
  return guidance === undefined
    ? activation
    : { ...activation, guidance: [...activation.guidance, guidance] };
}

function takenBack(frame: GraphFrame, undo: StateChanges | undefined): GraphFrame {
  return undo === undefined ? frame : frame.with({ values: frame.values.undo([undo]) });
}
