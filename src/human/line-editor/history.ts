import { readFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { parseStrictJson } from '../answer/strict-json.js';

/** Stores the lines that the user has typed. */
export interface LineHistory {
  /** Oldest first. */
  load(signal: AbortSignal): Promise<readonly string[]>;
  add(line: string, signal: AbortSignal): Promise<void>;
}

/**
 * Removes lines from a history. @returns the number of removed lines
 * @throws Node's errors if the file cannot be written.
 */
export async function forgetLines(path: string, isForgotten: (line: string) => boolean): Promise<number> {
  const lines = readLines(readIfThere(path));
  const left = lines.filter((line) => !isForgotten(line));
  if (left.length < lines.length) await replaceLines(path, left);
  return lines.length - left.length;
}

async function replaceLines(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(`${path}.new`, fileText(lines), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Maximum number of lines to offer. A file with twice as many is cut down to this number. */
const KEPT_LINES = 1000;

function readLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const read = line === '' ? undefined : parseStrictJson(line);
    // A line that another program spoiled is left out; it is only a convenience.
    return read?.ok === true && typeof read.value === 'string' ? [read.value] : [];
  });
}

function fileText(lines: readonly string[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/**
 * Reads the file synchronously, because the first prompt waits for its content. Returns an empty string if
 * the file cannot be read.
 */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // no history yet, or none that may be read: then there is nothing to offer
  }
}

/**
 * Saves typed lines in a file that only its owner can read (0600), as JSON strings, one per line. Unreadable
 * lines are skipped, and read or write failures never cause an error.
 */
export function createLineHistory(path: string): LineHistory {
  return {
    async load() {
      const lines = readLines(readIfThere(path));
      if (lines.length <= 2 * KEPT_LINES) return lines.slice(-KEPT_LINES);
      const kept = lines.slice(-KEPT_LINES);
      try {
        await replaceLines(path, kept);
      } catch {
        // The long file stays, and is cut another time.
      }
      return kept;
    },
    async add(line) {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await appendFile(path, fileText([line]), { mode: 0o600 });
        await chmod(path, 0o600);
      } catch {
        // The line is in this process's history all the same.
      }
    },
  };
}
