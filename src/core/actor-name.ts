import type { Actor } from './resolution.js';

/** The name of whoever decided or sent something, for a sentence; not escaped. */
export function actorName(by: Actor): string {
  return by.type === 'rule' ? `rule \`${by.rule}\`` : by.name;
}
