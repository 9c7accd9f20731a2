import { userInfo } from 'node:os';
import type { Actor } from '../../src/core/index.js';
import { assertNever } from '../../src/core/index.js';
import type { Io } from './io.js';

/** Who sits at this terminal, as the journal names them. */
export function personHere(io: Io, via: 'terminal' | 'answer'): Actor {
  return { type: 'person', name: userName(), via, pid: io.pid };
}

/** The user's name; `unknown` where the system knows none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // a user id without an entry in the user database
  }
}

/** Who decided, in words; text from outside is not escaped. */
export function actorName(by: Actor): string {
  switch (by.type) {
    case 'person':
      return `${by.name} (${by.via})`;
    case 'script':
      return by.place === undefined ? by.name : `${by.name}, ${by.place}`;
    case 'rule':
      return `rule \`${by.rule}\``;
    default:
      return assertNever(by);
  }
}
