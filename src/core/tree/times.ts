import type { StoredEvent } from '../event.js';

/** The times of an operation, or of a node, in a run. */
export interface Times {
  /** ISO 8601: when its first attempt began. */
  readonly began: string;
  /** ISO 8601; absent where it has not ended. */
  readonly ended?: string;
  /** The attempts that began. */
  readonly attempts: number;
}

/** The times of everything in a run, by `placeKey`. */
export type RunTimes = ReadonlyMap<string, Times>;

/** Names an activation, or an operation of its code, in a whole session. */
export function placeKey(
  scope: string,
  { node, visit }: { readonly node: string; readonly visit: number },
  key?: string,
): string {
  const activation = `${scope === '' ? '' : `${scope}/`}${node}@${visit}`;
  return key === undefined ? activation : `${activation} ${key}`;
}

/** Reads when everything of a workflow began and ended, and how often it was tried; what was done anew counts anew. */
export function timesOf(events: Iterable<Pick<StoredEvent, 'at' | 'scope' | 'event'>>): RunTimes {
  const times = new Map<string, Times>();
  const begin = (place: string, at: string): void => {
    const before = times.get(place);
    const isAnother = before !== undefined && before.ended === undefined;
    times.set(place, isAnother ? { ...before, attempts: before.attempts + 1 } : { began: at, attempts: 1 });
  };
  const end = (place: string, at: string): void => {
    const before = times.get(place);
    if (before !== undefined) times.set(place, { ...before, ended: at });
  };
  for (const { at, scope, event } of events) {
    // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- the other events begin and end nothing
    switch (event.type) {
      case 'node-started': {
        const place = placeKey(scope, event);
        // A node goes on where it was after each answer: it begins once.
        if (times.get(place) === undefined) begin(place, event.startedAt);
        break;
      }
      case 'node-settled':
      case 'node-failed':
        end(placeKey(scope, event), at);
        break;
      case 'op-started':
        begin(placeKey(scope, event, event.key), event.startedAt ?? at);
        break;
      case 'step-started':
        begin(placeKey(scope, event, event.key), at);
        break;
      case 'op-settled':
      case 'step-settled':
        end(placeKey(scope, event, event.key), at);
        break;
      case 'op-failed':
        if (event.again === undefined) end(placeKey(scope, event, event.key), at);
        break;
      default:
        break;
    }
  }
  return times;
}
