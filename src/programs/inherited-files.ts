import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

/** Close-on-exec flag in `/proc/self/fdinfo`. */
const CLOSED_ON_EXEC = 0o2000000;
/** First descriptor after the standard streams. */
const FIRST = 3;

/** A child process's streams from descriptor 3 on. */
export type CoveredFiles = readonly (number | 'ignore')[];

/**
 * Starts a program without letting it inherit our open files. `start` must pass the covered streams to
 * `spawn`, after the three standard streams.
 */
export function withoutOurFiles<Started>(start: (covered: CoveredFiles) => Started): Started {
  const nothing = openSync(devNull, 'r+');
  try {
    return start(coverInheritedFiles(nothing));
  } finally {
    closeSync(nothing);
  }
}

/**
 * Returns streams from descriptor 3 on that keep a child process from inheriting files that our parent
 * process left open. An open folder, for example, would be a way out of a sandbox. Each inherited file is
 * replaced by `nothing`, the open null device, because Node passes on ignored streams above number 2. Node
 * closes its own files.
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
