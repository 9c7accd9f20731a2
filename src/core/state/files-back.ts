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
  /** It did not exist in that state. */
  readonly isRemoved: boolean;
  readonly by?: Actor;
  /** The conversation went back, too: the model does not know a later state. */
  readonly isKnown?: true;
}

/** Files that are named; a count of the others follows. */
const MOST_NAMED = 20;
const PATH_COLUMNS = 100;

/** Adds a file; only the last state of each counts. */
export function withFileBack(before: readonly FileBack[] = [], file: FileBack): readonly FileBack[] {
  return [...before.filter(({ path }) => path !== file.path), file];
}

/** A user message as the model gets it: it says last which files are not what the model left. */
export function withFilesNote(
  message: Message,
  files: readonly FileBack[],
  cwd: string | undefined,
): Message | undefined {
  const unknown = files.filter(({ isKnown }) => isKnown !== true);
  if (unknown.length === 0) return undefined;
  const note = `(Files that were brought back to an earlier state: ${namesOf(unknown, cwd)}. Read them again before you change them.)`;
  return { ...message, content: [...message.content, textPart(note)] };
}

/** `Files brought back by ann: a.txt, new/b.txt (removed)`; for people. */
export function filesBackLine(files: readonly FileBack[], cwd: string | undefined): Shown {
  const by = [...new Set(files.flatMap((file) => (file.by === undefined ? [] : [actorName(file.by)])))];
  const who = by.length === 0 ? shown`` : shown` by ${escapeText(by.join(', '))}`;
  return shown`Files brought back${who}: ${namesOf(files, cwd)}`;
}

function namesOf(files: readonly FileBack[], cwd: string | undefined): Shown {
  const names = files.slice(0, MOST_NAMED).map(({ path, isRemoved }) => {
    const inside = cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
    return isRemoved ? shown`${plainLine(inside, PATH_COLUMNS)} (removed)` : plainLine(inside, PATH_COLUMNS);
  });
  const left = files.length - names.length;
  return joined([...names, ...(left > 0 ? [shown`and ${left} more`] : [])], ', ');
}
