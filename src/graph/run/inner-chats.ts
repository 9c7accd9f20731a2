import type { NodePath, RunState, SessionEvent } from '../../core/index.js';
import type { Arrivals, EngineEvent, RunOutcome } from '../../engine/index.js';
import type { GraphLoop, Steps } from './graph-loop.js';
import { placedAt } from './graph-loop.js';

type Fate = 'go-on' | 'give-up';

/** Something that a parallel chat or branch reports to the loop that stores its events. */
export type Arrival =
  | {
      readonly type: 'told';
      readonly scope: NodePath;
      readonly event: EngineEvent;
      readonly settle: (fate: Fate) => void;
    }
  /** The called chat is waiting for a person. */
  | { readonly type: 'parked'; readonly key: string }
  /** `key` identifies the chat or branch that ended. If it was abandoned, it has no outcome. */
  | { readonly type: 'ended'; readonly key: string; readonly outcome: RunOutcome | undefined }
  | { readonly type: 'threw'; readonly thrown: unknown };

/** The path of a chat, and the receiver of its events. */
export interface Place {
  readonly arrivals: { put(item: Arrival): void };
  readonly scope: NodePath;
}

/** Forwards one event, and waits until the event is stored or abandoned. */
export function told({ arrivals, scope }: Place, event: EngineEvent): Promise<Fate> {
  return new Promise((settle) => {
    arrivals.put({ type: 'told', scope, event, settle });
  });
}

/**
 * Forwards a chat's events one by one. The chat continues only after each event is stored. If an event is
 * abandoned, the chat ends and this function returns `undefined`.
 */
export async function pump(
  steps: Steps<RunOutcome>,
  place: Place,
  state: RunState,
): Promise<RunOutcome | undefined> {
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
    if ((await told(place, step.value)) === 'go-on') continue;
    await steps.return({ type: 'ended', reason: { type: 'aborted' }, state });
    return undefined;
  }
}

/** Forwards the events and the end of a chat or branch. Never rejects. */
export async function follow(
  key: string,
  steps: Steps<RunOutcome>,
  place: Place,
  state: RunState,
): Promise<void> {
  try {
    place.arrivals.put({ type: 'ended', key, outcome: await pump(steps, place, state) });
  } catch (thrown) {
    place.arrivals.put({ type: 'threw', thrown });
  }
}

/** Forwards simultaneous events as one batch, so that only one sync is needed. */
export function* pass(
  host: Pick<GraphLoop, 'tell'>,
  arrived: readonly Arrival[],
): Generator<EngineEvent, void> {
  const events: SessionEvent[] = [];
  for (const arrival of arrived) {
    if (arrival.type !== 'told') continue;
    const { event, scope } = arrival;
    if (!event.durable) yield { durable: false, event: placedAt(event.event, scope) };
    else events.push(...event.events.map((one) => placedAt(one, scope)));
  }
  if (events.length > 0) yield* host.tell(events);
}

/** Abandons events that will not be stored. This stops their sources. */
export function giveUp(arrived: readonly Arrival[]): void {
  for (const arrival of arrived) if (arrival.type === 'told') arrival.settle('give-up');
}

/** Abandons all further arrivals until everything has stopped. */
export async function drained(arrivals: Arrivals<Arrival>, pumping: Promise<unknown>): Promise<void> {
  const all = pumping.then(() => 'all' as const);
  for (;;) {
    const arrived = await Promise.race([all, arrivals.take()]);
    if (arrived === 'all') return;
    giveUp(arrived);
  }
}
