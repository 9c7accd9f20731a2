import type { NodePath, RunState, SessionEvent } from '../../core/index.js';
import type { Arrivals, EngineEvent, RunOutcome } from '../../engine/index.js';
import type { GraphLoop, Steps } from './graph-loop.js';
import { placedAt } from './graph-loop.js';

type Fate = 'go-on' | 'give-up';

/** The news of several chats or branches in one activation, for the one loop that keeps it. */
export type Arrival =
  | {
      readonly type: 'told';
      readonly scope: NodePath;
      readonly event: EngineEvent;
      readonly settle: (fate: Fate) => void;
    }
  /** The chat that was called waits for a person. */
  | { readonly type: 'parked'; readonly key: string }
  /** `key` names what ended; it has no outcome where it was given up. */
  | { readonly type: 'ended'; readonly key: string; readonly outcome: RunOutcome | undefined }
  | { readonly type: 'threw'; readonly thrown: unknown };

/** The place where a chat runs, and where it hands over what it tells. */
export interface Place {
  readonly arrivals: { put(item: Arrival): void };
  readonly scope: NodePath;
}

/** Hands over one event, and waits until it was kept or given up. */
export function told({ arrivals, scope }: Place, event: EngineEvent): Promise<Fate> {
  return new Promise((settle) => {
    arrivals.put({ type: 'told', scope, event, settle });
  });
}

/** Hands over what a chat tells, each before it goes on; nothing where it was given up. */
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

/** Hands over what a chat or a branch tells, and in the end how it ended. Never rejects. */
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

/** Passes on what arrived together as one batch, and so one sync. */
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

/** Nobody keeps what arrived: who told it ends where it is. */
export function giveUp(arrived: readonly Arrival[]): void {
  for (const arrival of arrived) if (arrival.type === 'told') arrival.settle('give-up');
}

/** Gives up what still arrives, until nothing runs any more. */
export async function drained(arrivals: Arrivals<Arrival>, pumping: Promise<unknown>): Promise<void> {
  const all = pumping.then(() => 'all' as const);
  for (;;) {
    const arrived = await Promise.race([all, arrivals.take()]);
    if (arrived === 'all') return;
    giveUp(arrived);
  }
}
