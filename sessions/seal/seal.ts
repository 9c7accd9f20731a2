import { createHmac, timingSafeEqual } from 'node:crypto';

import type { SessionId, StoredEvent } from '../../src/core/index.js';
import { present } from '../../src/core/index.js';

// Invariants of seals:
// S1 Whoever opens a session for writing seals its `session-opened` with the key of the user: over the session and the
//    chain of all records before it. A session whose latest opening has no such seal is foreign.
// S2 What a foreign session says that a person approved does not count until a person here says so again.
// S3 A snapshot is read only with a seal over its first line, which holds the sums of all that follows.
// S4 An opening that came with a copy counts as one without a seal: who wrote the records behind it is not known.
// S5 Without a key, as in a program that gives none, nothing is sealed and no session is foreign.

/** The opening of a session: the chain up to it, and the seal that it carries. */
export interface Opening {
  readonly prev: string;
  readonly seal?: string;
}

/** The seal of an opening, as 64 hex digits. @param prev the `prev` of its record. */
export function sealOfOpening(key: Uint8Array, id: SessionId, prev: string): string {
  return mac(key, `opening\n${id}\n${prev}`);
}

/** The seal of a snapshot's first line, as 64 hex digits. */
export function sealOfSnapshot(key: Uint8Array, id: SessionId, line: string): string {
  return mac(key, `snapshot\n${id}\n${line}`);
}

/** True where the latest opening of a session was not sealed with this key (S1). Without a key none is foreign (S5). */
export function isForeign(key: Uint8Array | undefined, id: SessionId, opening: Opening | undefined): boolean {
  if (key === undefined) return false;
  return opening?.seal === undefined || !isSame(opening.seal, sealOfOpening(key, id, opening.prev));
}

/** Compares two seals in constant time. */
export function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function mac(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Counts the openings of a session, and those of them that this key sealed. */
export function countOpenings(
  key: Uint8Array,
  id: SessionId,
  events: Iterable<StoredEvent>,
): { readonly all: number; readonly ours: number } {
  let all = 0;
  let ours = 0;
  for (const { event, prev } of events) {
    if (event.type !== 'session-opened') continue;
    all += 1;
    if (!isForeign(key, id, { prev, ...present({ seal: event.seal }) })) ours += 1;
  }
  return { all, ours };
}
