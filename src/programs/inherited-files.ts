import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/** Flag in `/proc/self/fdinfo`: closed on exec. */
const CLOSED_ON_EXEC = 0o2000000;
/** First descriptor after the standard streams. */
const FIRST = 3;

/** The streams of a child from number 3 on. */
export type CoveredFiles = readonly (number | 'ignore')[];

/** Starts a program without our files; `start` passes the covered ones to `spawn` after the three streams. */
export function withoutOurFiles<Started>(start: (covered: CoveredFiles) => Started): Started {
  const nothing = openSync(devNull, 'r+');
  try {
    return start(coverInheritedFiles(nothing));
  } finally {
    closeSync(nothing);
  }
}

/**
 * Covers a child's streams from number 3 on, so that it does not inherit files that our starter left open: a
 * folder among them would lead out of a sandbox. Each is covered by `nothing`, an open empty file, because
 * Node passes ignored streams above number 2. Node closes its own files.
 */
function coverInheritedFiles(nothing: number): CoveredFiles {
  const inherited = new Set(openFiles().filter((number) => staysOpen(number)));
  const last = Math.max(FIRST - 1, ...inherited);
  return Array.from({ length: last - FIRST + 1 }, (_, index) =>
    inherited.has(FIRST + index) ? nothing : 'ignore',
  );
}

function openFiles(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return []; // No Linux.
  }
}

function staysOpen(number: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/mu.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'latin1'))?.[1];
    return number >= FIRST && flags !== undefined && (parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
  } catch {
    return false; // Closed since it was listed.
  }
}
