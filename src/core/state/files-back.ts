import { actorName } from '../data/actor-name.js';
import type { Shown } from '../data/escape.js';
import { escapeText, joined, shown } from '../data/escape.js';
import type { Message } from '../data/message.js';
import { textPart } from '../data/message.js';
import { plainLine } from '../data/plain-line.js';
import type { Actor } from '../data/resolution.js';

/** A file that a person restored to an earlier state, between two messages. */
export interface FileBack {
  /** Absolute, without links. */
  readonly path: string;
  /** Whether the file did not exist in that state. */
  readonly isRemoved: boolean;
  readonly by?: Actor;
  /** Set if the conversation also went back, so that the model has not seen a later state of the file. */
  readonly isKnown?: true;
}

/** Maximum number of files to list. The number of the remaining files follows the list. */
const MOST_NAMED = 20;
const PATH_COLUMNS = 100;

/** Adds a file to the list, which keeps only the latest state of each file. */
export function withFileBack(before: readonly FileBack[] = [], file: FileBack): readonly FileBack[] {
  return [...before.filter(({ path }) => path !== file.path), file];
}

/**
 * Returns a user message in the form that is sent to the model, with a final note that lists the files
 * restored without the model's knowledge; `undefined` if there are none.
 */
export function withFilesNote(
  message: Message,
  files: readonly FileBack[],
  cwd: string | undefined,
): Message | undefined {
  const unknown = files.filter(({ isKnown }) => isKnown !== true);
  if (unknown.length === 0) return undefined;
  const note = `(Files restored to an earlier state: ${namesOf(unknown, cwd)}. Read them again before you change them.)`;
  return { ...message, content: [...message.content, textPart(note)] };
}

/** Formats a line for the user: `Files restored by ann: a.txt, new/b.txt (removed)`. */
export function filesBackLine(files: readonly FileBack[], cwd: string | undefined): Shown {
  const by = [...new Set(files.flatMap((file) => (file.by === undefined ? [] : [actorName(file.by)])))];
  const who = by.length === 0 ? shown`` : shown` by ${escapeText(by.join(', '))}`;
  return shown`Files restored${who}: ${namesOf(files, cwd)}`;
}

function namesOf(files: readonly FileBack[], cwd: string | undefined): Shown {
  const names = files.slice(0, MOST_NAMED).map(({ path, isRemoved }) => {
    const inside = cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
    return isRemoved ? shown`${plainLine(inside, PATH_COLUMNS)} (removed)` : plainLine(inside, PATH_COLUMNS);
  });
  const left = files.length - names.length;
  return joined([...names, ...(left > 0 ? [shown`and ${left} more`] : [])], ', ');
}
