import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/** Of `flags` in `/proc/self/fdinfo`: the file is closed where a program is run. */
const CLOSED_ON_EXEC = 0o2000000;
/** The first that is no standard stream. */
const FIRST = 3;

/** The streams of a child from number 3 on. */
export type CoveredFiles = readonly (number | 'ignore')[];

/** Starts a program that gets none of our files; `start` hands the covered ones to `spawn` behind the three streams. */
export function withoutOurFiles<Started>(start: (covered: CoveredFiles) => Started): Started {
  const nothing = openSync(devNull, 'r+');
  try {
    return start(coverInheritedFiles(nothing));
  } finally {
    closeSync(nothing);
  }
}

/**
 * Makes the streams of a child from number 3 on, so that it gets none of the files that whoever started this program
 * had left open: a folder among them would lead out of a sandbox. Each is covered by `nothing`, the number of an open
 * file with nothing in it, because Node lets an ignored stream above number 2 pass. Node closes what it opened itself.
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
