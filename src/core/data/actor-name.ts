import type { Actor } from './resolution.js';
import { actorProblem } from './answer-shape.js';

/** Name for an actor of unknown form. */
export const UNKNOWN_ACTOR = 'somebody unknown';

/** Whether this version recognizes the actor's form. Older versions stored arbitrary web actors. */
export function isActor(by: unknown): by is Actor {
  return actorProblem(by) === undefined;
}

/** Returns the actor's name for use in a sentence; not escaped. */
export function actorName(by: Actor): string {
  if (!isActor(by)) return UNKNOWN_ACTOR;
  if (by.type === 'clock') return 'the clock';
  if (by.type === 'reviewer') return `reviewer ${by.name}`;
  return by.type === 'rule' ? `rule \`${by.rule}\`` : by.name;
}
