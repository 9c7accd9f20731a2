import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import process from 'node:process';

import type { Identified, Person, Proof } from '../core/index.js';
import { identify, isFirstNamespace, personOf } from '../core/index.js';

/** The user of this process. Where nothing proves who it is, they have a name only, and their word is not counted. */
export function localUser(via: 'terminal' | 'answer'): Person {
  const found = localIdentity();
  return found.ok ? personOf(found.identity, via) : { type: 'person', name: userName(), via };
}

/** Gives the identity of the user of this process, as the kernel proves it, or why it proves none. */
export function localIdentity(): Identified {
  const uid = process.getuid?.();
  if (uid === undefined) return identify({ type: 'none', why: 'this system has no user IDs' });
  const name = nameOfUser();
  const proof: Proof = { type: 'local', host: hostname(), uid, groups: [], namespace: namespaceHere() };
  return identify({ ...proof, ...(name !== undefined && { name }) });
}

/** Only Linux has other namespaces; one that cannot be read there is not the first. */
function namespaceHere(): 'first' | 'other' {
  if (process.platform !== 'linux') return 'first';
  try {
    return isFirstNamespace(readFileSync('/proc/self/uid_map', 'utf8')) ? 'first' : 'other';
  } catch {
    return 'other'; // no /proc: nobody knows
  }
}

/** The user's name, for sentences; the user ID where the system has no name for it. */
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
