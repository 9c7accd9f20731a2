import type {
  Actor,
  BackPlace,
  GatePoints,
  GraphFrame,
  JsonValue,
  RunState,
  Session,
  SessionEvent,
  StoredEvent,
} from '../../core/index.js';
import {
  activationId,
  emptyState,
  evolve,
  findPlace,
  givenProblem,
  HitlError,
  operationTree,
  placesOf,
  present,
} from '../../core/index.js';
import type { GraphStart } from '../../graph/index.js';
import { eventsOf } from '../record.js';
import type { OwnEffect } from './own-effects.js';
import { ownEffectsOf } from './own-effects.js';
import type { ToolEffect } from './tool-effects.js';
import { effectsOf } from './tool-effects.js';

/** The effect of going back in a workflow, computed in advance. */
export interface GoingBack {
  readonly place: BackPlace;
  /** Name of the position: `review@2`, `healthy#2`. */
  readonly name: string;
  /** Number of the event at which the position started. */
  readonly seq: number;
  /** Tool effects since then, which are not undone. */
  readonly tools: readonly ToolEffect[];
  /** The workflow's own effects since then, which are not undone. */
  readonly own: readonly OwnEffect[];
}

/**
 * Computes the effect of going back to a position.
 * @throws HitlError NOTHING_TO_RESUME if no workflow has started, BAD_INPUT for a position that was not
 * reached.
 */
export async function goingBack(session: Session, to: string): Promise<GoingBack> {
  const { graph } = session.state;
  if (graph === undefined)
    throw new HitlError('NOTHING_TO_RESUME', `session ${session.id} has not started a workflow`);
  const place = findPlace(graph, to);
  if (typeof place === 'string')
    throw new HitlError('BAD_INPUT', place, {
      hint: `use one of: ${placesText(graph)} (hitl show ${session.id})`,
    });
  const events = await eventsOf(session);
  const seq = beganAt(events, place);
  const since = events.filter((stored) => stored.seq >= seq);
  const { activation, operation = activationId(activation) } = place;
  return { place, name: operation, seq, tools: effectsOf(since), own: ownEffectsOf(since) };
}

/** Maximum number of positions listed. If there are more, only the first and last ones are listed. */
const MOST_PLACES = 24;

/** Lists the positions in a run, in the order of its tree. */
function placesText(graph: GraphFrame): string {
  const places = placesOf(operationTree(graph).roots);
  if (places.length <= MOST_PLACES) return places.join(', ');
  const half = MOST_PLACES / 2;
  return [...places.slice(0, half), '…', ...places.slice(-half)].join(', ');
}

function isAt({ graph }: RunState, { activation: { node, visit }, operation }: BackPlace): boolean {
  const current = graph?.current;
  if (current?.node !== node || current.visit !== visit) return false;
  return operation === undefined || current.operations.get(operation) !== undefined;
}

/** Returns the number of the event at which a position last started. */
function beganAt(events: readonly StoredEvent[], place: BackPlace): number {
  let state = emptyState();
  let wasThere = false;
  let found = 1;
  for (const { seq, event } of events) {
    state = evolve(state, event);
    const isThere = isAt(state, place);
    if (isThere && !wasThere) found = seq;
    wasThere = isThere;
  }
  return found;
}

/** An effect that would happen again after going back, and that therefore requires confirmation. */
export interface OnceAgain {
  readonly name: string;
  readonly title?: string;
  readonly outcome: ToolEffect['outcome'];
}

/**
 * Returns the `once` effects that would happen again if the run continued from that position. An operation
 * with a value provided by the user does not run again. Failed effects are not included; they may be retried,
 * as with `resume`.
 */
export function onceAgain({ tools, own, place }: GoingBack, isGiven: boolean): readonly OnceAgain[] {
  const inPlace = place.operation;
  const isInside = (path: string): boolean =>
    inPlace !== undefined &&
    path.startsWith(`${activationId(place.activation)}/${inPlace.replaceAll('/', ':')}`);
  const named = [
    ...own.map((one) => ({ ...one, isLeft: isGiven && one.path === undefined && one.name === inPlace })),
    ...tools.map((one) => ({ ...one, name: one.tool, isLeft: isGiven && isInside(one.path ?? '') })),
  ];
  return named
    .filter(
      ({ effect, outcome, isLeft }) =>
        effect === 'once' && !isLeft && (outcome === 'output' || outcome === 'unknown'),
    )
    .toSorted((one, other) => one.seq - other.seq)
    .map(({ name, title, outcome }) => ({ name, ...(title !== undefined && { title }), outcome }));
}

/** A value provided by the user for an operation, and the user who goes back. */
export interface RewoundBy {
  readonly given?: { readonly output: JsonValue };
  readonly by?: Actor;
}

/**
 * Creates the event for going back.
 * @throws HitlError BAD_INPUT for a value that is not possible at that position or violates its schema.
 */
export function rewoundEvent({ place }: GoingBack, { given, by }: RewoundBy = {}): SessionEvent {
  const { activation, operation } = place;
  const { node, visit } = activation;
  const why =
    given === undefined
      ? undefined
      : operation === undefined
        ? `\`${activationId(activation)}\` is a node, but a value can only replace the result of an operation`
        : givenProblem(activation, operation, given.output);
  if (why !== undefined) throw new HitlError('BAD_INPUT', why);
  return {
    type: 'rewound',
    node,
    visit,
    ...present({ operation, given, by }),
  };
}

/** The effect of going back in a chat, computed in advance. */
export interface ChatBack {
  /** Number of messages kept. */
  readonly keep: number;
  /** The first event that no longer applies. */
  readonly since: number;
  /** Tool effects since the last kept message. They are not undone, and their calls may be made again. */
  readonly effects: readonly ToolEffect[];
}

/**
 * Returns the chat position to go back to for an event. If the last reply has calls that were not settled by
 * then, it is dropped with all of its calls. Effects from before the event may therefore be repeated as well.
 */
export function chatBack(events: readonly StoredEvent[], to: number): ChatBack {
  let state = emptyState();
  let whole = 0;
  for (const { seq, event } of events) {
    if (seq > to) break;
    state = evolve(state, event);
    if (state.open === undefined) whole = seq;
  }
  const since = whole + 1;
  return { keep: state.entries.length, since, effects: effectsOf(events.filter(({ seq }) => seq >= since)) };
}

/**
 * Returns the parameters with which a session's workflow was started, so that it can be run again;
 * `undefined` if no workflow has started.
 */
export function startOf(events: readonly Pick<StoredEvent, 'event'>[]): GraphStart | undefined {
  let start: GraphStart | undefined;
  for (const { event } of events) {
    if (event.scope !== undefined) continue;
    if (event.type === 'graph-started') {
      const { set, seed, maxIterations } = event;
      start = { set, seed, maxIterations, ...gatesOf(event) };
    } else if (event.type === 'graph-migrated') start = { ...start, ...gatesOf(event) };
  }
  return start;
}

interface Gated {
  readonly before: GatePoints;
  readonly after: GatePoints;
  readonly gates?: GatePoints;
}

/**
 * Merges the gates before nodes and the gates before operations, which have the same form when a run starts.
 */
function gatesOf({ before, after, gates = [] }: Gated): Pick<GraphStart, 'before' | 'after'> {
  return { before: before === '*' || gates === '*' ? '*' : [...before, ...gates], after };
}
