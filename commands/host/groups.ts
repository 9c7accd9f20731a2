import { execFileSync } from 'node:child_process';
import type { Actor, Interrupt } from '../../src/core/index.js';

/** The longest that the system may take to name groups, in milliseconds. */
const PATIENCE_MS = 2000;

/** The person with the groups that the system says they are in, where a question is for a group; else as they are. */
export function asMember(by: Actor, { approvers }: Pick<Interrupt, 'approvers'>): Actor {
  const isForGroup = approvers?.from?.some((name) => name.startsWith('@')) === true;
  return isForGroup && by.type === 'person' ? { ...by, groups: groupsHere() } : by;
}

function groupsHere(): readonly string[] {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const said = execFileSync('id', ['-Gn'], { encoding: 'utf8', timeout: PATIENCE_MS, stdio: [...stdio] });
    return said.split(/\s+/u).filter((name) => name !== '');
  } catch {
    return []; // a system without `id` vouches for no group
  }
}
