import type { Interrupt } from '../interrupt.js';
import type { JsonObject, JsonValue } from '../json.js';
import { isJsonObject } from '../json.js';
import type { Resolution } from '../resolution.js';
import type { Activation, GraphFrame } from '../state.js';
import type { StateChanges } from './frame.js';
import { backTo, findTarget } from './live-path.js';
import { reduceValue } from './reduce.js';
import { applyChanges, undoChanges } from './state-changes.js';

type Flow = Exclude<
  Resolution,
  { action: 'update-state' | 'change-condition' | 'defer' | 'sequence' | 'edit-output' }
>;

/** The parts of a resolution in the order in which they act (I-26). */
interface Parts {
  readonly patches: readonly JsonObject[];
  readonly conditions: readonly JsonObject[];
  readonly notes: readonly string[];
  readonly output?: { readonly value: JsonValue };
  readonly flows: readonly Flow[];
}

function partsOf(resolution: Resolution): Parts {
  const all = resolution.action === 'sequence' ? resolution.actions : [resolution];
  const output = all.findLast((one) => one.action === 'edit-output');
  return {
    patches: all.flatMap((one) => (one.action === 'update-state' ? [one.patch] : [])),
    conditions: all.flatMap((one) => (one.action === 'change-condition' ? [one.patch] : [])),
    notes: all.flatMap((one) => (one.action === 'defer' ? [one.note] : [])),
    ...(output !== undefined && { output: { value: output.value } }),
    flows: all.flatMap((one) => (isFlow(one) ? [one] : [])),
  };
}

function isFlow(resolution: Resolution): resolution is Flow {
  return !['update-state', 'change-condition', 'defer', 'sequence', 'edit-output'].includes(
    resolution.action,
  );
}

/** True for keys that patches of people and of nodes must not touch (C-24). */
export function isReservedKey(key: string): boolean {
  return key.startsWith('_') || key.startsWith('graph_') || key === 'constructor' || key === 'prototype';
}

/** Why a resolution does not fit an open interrupt of a graph; `undefined` where it does. */
export function graphAnswerProblem(
  frame: GraphFrame,
  interrupt: Interrupt,
  resolution: Resolution,
): string | undefined {
  const parts = partsOf(resolution);
  if (resolution.action === 'sequence') {
    if (resolution.actions.length === 0) return 'a sequence of actions is empty';
    for (const one of resolution.actions) {
      if (one.action === 'sequence' || !interrupt.allowed.includes(one.action))
        return `\`${one.action}\` does not answer this; it takes: ${interrupt.allowed.join(', ')}`;
    }
  }
  if (parts.flows.length > 1)
    return `only one action can say where to go: ${parts.flows.map(({ action }) => action).join(', ')}`;
  for (const patch of parts.patches) {
    for (const [key, value] of Object.entries(patch)) {
      if (isReservedKey(key)) return `the state key \`${key}\` is reserved`;
      const reduced = reduceValue(frame.reducers[key], frame.state[key], value);
      if (reduced === undefined)
        return `\`${key}\` cannot take this value: its reducer is ${frame.reducers[key] ?? ''}`;
    }
  }
  for (const flow of parts.flows) {
    if (flow.action !== 'go-back') continue;
    const target = findTarget(frame, flow);
    if (typeof target === 'string') return target;
  }
  return undefined;
}

/** The frame after an answer to one of its own interrupts. */
export function answerGraph(
  frame: GraphFrame,
  interrupt: Interrupt,
  resolution: Resolution,
  at: string,
): GraphFrame {
  if (frame.gate?.id === interrupt.id) return answerFrame(frame, resolution);
  const { current } = frame;
  if (current === undefined) return frame;
  if (current.gate?.id !== interrupt.id) return answerAsk(frame, current, interrupt, resolution);
  const { gate: _gate, ...closed } = current;
  if (interrupt.kind === 'gate') return answerGate({ ...frame, current: closed }, closed, resolution, at);
  return answerTrouble({ ...frame, current: closed }, closed, interrupt, resolution);
}

/** A limit or a pause of the run itself. */
function answerFrame(frame: GraphFrame, resolution: Resolution): GraphFrame {
  const { gate: _gate, ...rest } = frame;
  if (resolution.action === 'extend') return { ...rest, maxIterations: frame.maxIterations + resolution.by };
  if (resolution.action === 'cancel') return cancelled(rest, resolution.reason);
  if (resolution.action === 'rerun' && rest.current !== undefined) {
    const { guidance } = resolution;
    return guidance === undefined ? rest : { ...rest, current: guided(rest.current, guidance) };
  }
  return rest;
}

function cancelled(frame: GraphFrame, reason: string | undefined): GraphFrame {
  return { ...frame, cancelled: reason === undefined ? {} : { reason } };
}

function guided(activation: Activation, guidance: string | undefined): Activation {
  return guidance === undefined
    ? activation
    : { ...activation, guidance: [...activation.guidance, guidance] };
}

function answerAsk(
  frame: GraphFrame,
  current: Activation,
  { id }: Interrupt,
  resolution: Resolution,
): GraphFrame {
  if (resolution.action !== 'respond') {
    // Asked anew, under a new id, when the run is taken up again.
    const asks = current.asks.filter(({ interrupt }) => interrupt.id !== id);
    return cancelled(
      { ...frame, current: { ...current, asks, status: 'entered' } },
      resolution.action === 'cancel' ? resolution.reason : undefined,
    );
  }
  const answer = { value: resolution.output };
  const asks = current.asks.map((ask) => (ask.interrupt.id === id ? { ...ask, answer } : ask));
  return { ...frame, current: { ...current, asks } };
}

/** A doubt after a crash, or an error, of a node. */
function answerTrouble(
  frame: GraphFrame,
  current: Activation,
  { payload }: Interrupt,
  resolution: Resolution,
): GraphFrame {
  const step = isJsonObject(payload) && typeof payload['step'] === 'string' ? payload['step'] : undefined;
  const again: Activation = { ...current, status: 'entered', failures: 0 };
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- a new action does not answer trouble until it is named here
  switch (resolution.action) {
    case 'respond': {
      if (step === undefined) {
        return {
          ...frame,
          current: { ...current, status: 'answered', output: { value: resolution.output } },
        };
      }
      const effect = current.steps[step]?.effect ?? 'once';
      const settled = { status: 'settled', effect, output: resolution.output } as const;
      return { ...frame, current: { ...again, steps: { ...current.steps, [step]: settled } } };
    }
    case 'retry': {
      const steps = Object.fromEntries(
        Object.entries(current.steps).filter(([, { status }]) => status === 'settled'),
      );
      return { ...frame, current: { ...again, steps } };
    }
    case 'skip':
      return { ...frame, current: { ...current, status: 'skipped', phase: 'route' } };
    case 'reject': {
      const error = { code: 'NODE_FAILED', message: resolution.reason ?? 'a person said that it failed' };
      return {
        ...frame,
        current: { ...current, status: 'failed', error, failures: Number.MAX_SAFE_INTEGER },
      };
    }
    case 'go-back': {
      const target = findTarget(frame, resolution);
      return typeof target === 'string' ? frame : backTo(frame, target, []);
    }
    default:
      return cancelled(frame, resolution.action === 'cancel' ? resolution.reason : undefined);
  }
}

function answerGate(frame: GraphFrame, current: Activation, resolution: Resolution, at: string): GraphFrame {
  const parts = partsOf(resolution);
  const flow: Flow = parts.flows[0] ?? { action: 'continue' };
  const { node, visit } = current;
  const noted: GraphFrame = {
    ...frame,
    todos: [...frame.todos, ...parts.notes.map((note) => ({ note, node, visit, at }))],
    conditions: parts.conditions.reduce((all, patch) => ({ ...all, ...patch }), frame.conditions),
  };
  // What takes work back does so first: the edits of the same answer stay (case 62).
  if (flow.action === 'rerun' && current.phase === 'after') {
    return edited(backTo(noted, current, flow.guidance === undefined ? [] : [flow.guidance]), parts.patches);
  }
  if (flow.action === 'go-back') {
    const target = findTarget(noted, flow);
    return typeof target === 'string' ? frame : edited(backTo(noted, target, []), parts.patches);
  }
  return decided(edited(noted, parts.patches), flow, parts.output);
}

/** Patches of people, through the reducers; they are taken back with the activation that comes after them. */
function edited(frame: GraphFrame, patches: readonly JsonObject[]): GraphFrame {
  let next = frame;
  for (const patch of patches) {
    const set: Record<string, JsonValue> = {};
    for (const [key, value] of Object.entries(patch)) {
      const reduced = reduceValue(frame.reducers[key], next.state[key], value);
      if (reduced !== undefined) set[key] = reduced;
    }
    const { state, undo } = applyChanges(next.state, { set });
    next = withEdit({ ...next, state }, undo);
  }
  return next;
}

function withEdit(frame: GraphFrame, undo: StateChanges): GraphFrame {
  const { current, next } = frame;
  if (next !== undefined) return { ...frame, next: { ...next, edits: [...next.edits, undo] } };
  if (current === undefined) return frame;
  if (current.phase === 'before')
    return { ...frame, current: { ...current, edits: [...current.edits, undo] } };
  // Behind the node: its own undo takes back both, the edit first.
  const own = current.undo ?? { set: {} };
  const unset = [...(own.unset ?? []), ...(undo.unset ?? [])].filter((key) => !Object.hasOwn(own.set, key));
  const both = { set: { ...undo.set, ...own.set }, ...(unset.length > 0 && { unset: [...new Set(unset)] }) };
  return {
    ...frame,
    current: { ...current, undo: { ...both, set: withoutKeys(both.set, own.unset ?? []) } },
  };
}

function withoutKeys(set: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(set).filter(([key]) => !keys.includes(key)));
}

function decided(
  frame: GraphFrame,
  flow: Flow,
  output: { readonly value: JsonValue } | undefined,
): GraphFrame {
  const { current } = frame;
  if (current === undefined) return frame;
  const phase = current.phase === 'before' ? 'before' : 'after';
  const passed: Activation = { ...current, passed: [...current.passed, phase] };
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- `allowed` names what a gate takes; the rest does not get here
  switch (flow.action) {
    case 'skip':
      return { ...frame, current: { ...current, status: 'skipped', phase: 'route' } };
    case 'goto': {
      const left: Activation = phase === 'before' ? { ...current, status: 'skipped' } : current;
      const { current: _current, ...rest } = frame;
      return { ...rest, path: frame.path.append(left), next: { node: flow.node, guidance: [], edits: [] } };
    }
    case 'reject': {
      if (phase === 'before')
        return { ...frame, current: { ...current, status: 'rejected', phase: 'route' } };
      const { undo, output: _output, ...rest } = current;
      const state = undo === undefined ? frame.state : undoChanges(frame.state, [undo]);
      return { ...frame, state, current: { ...rest, rejection: flow.reason ?? '' } };
    }
    case 'edit-input':
      return { ...frame, current: { ...passed, input: { value: flow.value } } };
    case 'rerun':
      return { ...frame, current: guided(passed, flow.guidance) };
    case 'cancel':
      return cancelled(frame, flow.reason);
    default:
      if (output === undefined || phase === 'before') return { ...frame, current: passed };
      return {
        ...frame,
        state: current.undo === undefined ? frame.state : undoChanges(frame.state, [current.undo]),
        current: { ...passed, status: 'answered', phase: 'run', output },
      };
  }
}
