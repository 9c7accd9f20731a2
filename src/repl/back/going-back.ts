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

/** A way back inside of a workflow, as it is known before anybody takes it. */
export interface GoingBack {
  readonly place: BackPlace;
  /** The name of the place: `review@2`, `healthy#2`. */
  readonly name: string;
  /** The record with which it began. */
  readonly seq: number;
  /** The things that tools did since then. They stay done. */
  readonly tools: readonly ToolEffect[];
  /** The things that the workflow did by itself since then. They stay done. */
  readonly own: readonly OwnEffect[];
}

/** @throws HitlError NOTHING_TO_RESUME where no workflow began, BAD_INPUT for a place that is not on the way. */
export async function goingBack(session: Session, to: string): Promise<GoingBack> {
  const { graph } = session.state;
  if (graph === undefined)
    throw new HitlError('NOTHING_TO_RESUME', `session ${session.id} has no workflow that was started`);
  const place = findPlace(graph, to);
  if (typeof place === 'string')
    throw new HitlError('BAD_INPUT', place, {
      hint: `take one of: ${placesText(graph)} (hitl show ${session.id})`,
    });
  const events = await eventsOf(session);
  const seq = beganAt(events, place);
  const since = events.filter((stored) => stored.seq >= seq);
  const { activation, operation = activationId(activation) } = place;
  return { place, name: operation, seq, tools: effectsOf(since), own: ownEffectsOf(since) };
}

/** The places that are named where another one is wanted: of more, those at both ends. */
const MOST_PLACES = 24;

/** Names the places of a run as its tree shows them. */
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

/** The record with which a place that is on the way began, the last time. */
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

/** A thing that may not be done twice unasked, and that going back does again. */
export interface OnceAgain {
  readonly name: string;
  readonly title?: string;
  readonly outcome: ToolEffect['outcome'];
}

/**
 * The things that were done with an effect of which a second one is another one, and are done again from there. What
 * a person's value stands in the place of is not done again; what failed may be tried again, as by `resume`.
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

/** A person's value in the place of an operation, and who goes back. */
export interface RewoundBy {
  readonly given?: { readonly output: JsonValue };
  readonly by?: Actor;
}

/** @throws HitlError BAD_INPUT for a value where none can stand, or that its schema does not take. */
export function rewoundEvent({ place }: GoingBack, { given, by }: RewoundBy = {}): SessionEvent {
  const { activation, operation } = place;
  const { node, visit } = activation;
  const why =
    given === undefined
      ? undefined
      : operation === undefined
        ? `\`${activationId(activation)}\` is a node, and a value is given in the place of an operation`
        : givenProblem(activation, operation, given.output);
  if (why !== undefined) throw new HitlError('BAD_INPUT', why);
  return {
    type: 'rewound',
    node,
    visit,
    ...present({ operation, given, by }),
  };
}

/** A way back inside of a chat, as it is known before anybody takes it. */
export interface ChatBack {
  /** The messages that stay. */
  readonly keep: number;
  /** The things that tools did since the last of them: they stay done, and their calls may be made again. */
  readonly effects: readonly ToolEffect[];
}

/**
 * Finds where a chat goes back to by a record. A reply whose calls were not all done at that record goes with them, so
 * that what was done before the record, too, may be done again.
 */
export function chatBack(events: readonly StoredEvent[], to: number): ChatBack {
  let state = emptyState();
  let whole = 0;
  for (const { seq, event } of events) {
    if (seq > to) break;
    state = evolve(state, event);
    if (state.open === undefined) whole = seq;
  }
  return { keep: state.entries.length, effects: effectsOf(events.filter(({ seq }) => seq > whole)) };
}

/** Gives what the workflow of a session began with, for another run of it; `undefined` where none has begun. */
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

/** The gates before nodes and those before operations of code are named alike where a run begins. */
function gatesOf({ before, after, gates = [] }: Gated): Pick<GraphStart, 'before' | 'after'> {
  return { before: before === '*' || gates === '*' ? '*' : [...before, ...gates], after };
}
