import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import process from 'node:process';

import type { Identified, Person, Proof } from '../core/index.js';
import { identify, isFirstNamespace, personOf } from '../core/index.js';

/**
 * Returns the user of this process. If their identity cannot be proved, they have only a name, and their vote
 * is not accepted.
 */
export function localUser(via: 'terminal' | 'answer' | 'editor'): Person {
  const found = localIdentity();
  return found.ok ? personOf(found.identity, via) : { type: 'person', name: userName(), via };
}

/**
 * Returns the identity of this process's user as confirmed by the kernel, or the reason that there is none.
 */
export function localIdentity(): Identified {
  const uid = process.getuid?.();
  if (uid === undefined) return identify({ type: 'none', why: 'this system has no user IDs' });
  const name = nameOfUser();
  const proof: Proof = { type: 'local', host: hostname(), uid, groups: [], namespace: namespaceHere() };
  return identify({ ...proof, ...(name !== undefined && { name }) });
}

/**
 * Returns whether this process is in the initial user namespace (`first`). Other namespaces exist only on
 * Linux. If the namespace cannot be read, it is treated as `other`.
 */
function namespaceHere(): 'first' | 'other' {
  if (process.platform !== 'linux') return 'first';
  try {
    return isFirstNamespace(readFileSync('/proc/self/uid_map', 'utf8')) ? 'first' : 'other';
  } catch {
    return 'other'; // no /proc: nobody knows
  }
}

/** Returns the name of the user, or their user ID if the system has no name for it. */
export function userName(): string {
  return nameOfUser() ?? `user ${process.getuid?.() ?? 'unknown'}`;
}

function nameOfUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined; // a user ID without an entry in the user database
  }
}
