import { relative } from 'node:path';
import type { JsonValue, Shown, UnkeptFile } from '../../src/core/index.js';
import { columnsOf, count, plainLine, shown, spaces } from '../../src/core/index.js';
import type { FileStep, LeftFile } from '../../src/repl/index.js';
import type { FileResult, FilesPlan } from './files.js';

/** Which parts going back restores. */
export interface Back {
  readonly conversation: boolean;
  readonly files: boolean;
  /** Whether to overwrite files that something else changed. */
  readonly overwrite: boolean;
  /** Whether the user saw the files and made a choice. */
  readonly isChosen?: true;
}

const UNKEPT: Readonly<Record<UnkeptFile, Shown>> = {
  secret: shown`no copy (may contain a secret)`,
  large: shown`no copy (too large)`,
  full: shown`no copy (the session has too many)`,
  failed: shown`no copy (could not be stored)`,
};

/** Returns the reason that a file is left alone. */
function leftText(left: LeftFile): Shown {
  switch (left.type) {
    case 'changed':
      return shown`changed since then by something else`;
    case 'unkept':
      return UNKEPT[left.why];
    case 'no-copy':
      return shown`its copy is missing or damaged`;
    case 'foreign':
      return shown`not recorded by this installation of hitl`;
    case 'elsewhere':
      return plainLine(left.why, WHY_COLUMNS);
  }
}

const PATH_COLUMNS = 60;
const WHY_COLUMNS = 100;
/** Maximum number of files in a list. Any others are only counted. */
const MOST_FILES = 10;

/** Lists what would happen to files; empty if nothing would happen. */
export function planLines({ folder, planned }: FilesPlan): readonly Shown[] {
  return fileLines(
    shown`If you restore files:`,
    folder,
    planned.map(({ step }) => ({ path: step.path, text: stepText(step) })),
  );
}

function stepText(step: FileStep): Shown {
  switch (step.what) {
    case 'restore':
      return shown`restored to its earlier state${mixedText(step)}`;
    case 'remove':
      return shown`removed (created since then)${mixedText(step)}`;
    case 'same':
      return shown`already in its earlier state`;
    case 'left':
      return shown`stays: ${leftText(step.left)}`;
  }
}

function mixedText({ isMixed }: { readonly isMixed: boolean }): Shown {
  return isMixed ? shown` (also changed by something else)` : shown``;
}

/** Lists what happened to files. */
export function resultLines(folder: string | undefined, results: readonly FileResult[]): readonly Shown[] {
  return fileLines(
    shown`Files:`,
    folder,
    results.map((result) => ({ path: result.path, text: resultText(result) })),
  );
}

/**
 * Reports the outcome of a plan that the user has seen: the number of restored files, and the files whose
 * outcome differs from the plan.
 */
export function doneLines({ folder, planned }: FilesPlan, results: readonly FileResult[]): readonly Shown[] {
  const back = results.filter(({ what }) => what === 'restored' || what === 'removed').length;
  const known = new Set(planned.flatMap(({ step }) => (step.what === 'left' ? [step.path] : [])));
  const others = results.filter(
    ({ path, what }) => what === 'failed' || (what === 'left' && !known.has(path)),
  );
  const said = back === 0 ? shown`No files restored` : shown`Restored ${count(back, 'file')}`;
  return [said, ...resultLines(folder, others)];
}

function resultText(result: FileResult): Shown {
  switch (result.what) {
    case 'restored':
      return shown`restored`;
    case 'removed':
      return shown`removed`;
    case 'left':
      return shown`stays: ${leftText(result.step.left)}`;
    case 'failed':
      return shown`failed: ${plainLine(result.why, WHY_COLUMNS)}`;
  }
}

function fileLines(
  heading: Shown,
  folder: string | undefined,
  files: readonly { readonly path: string; readonly text: Shown }[],
): readonly Shown[] {
  if (files.length === 0) return [];
  const rows = files.slice(0, MOST_FILES).map(({ path, text }) => ({ name: nameOf(folder, path), text }));
  const width = Math.max(...rows.map(({ name }) => columnsOf(name)));
  const rest = files.length - rows.length;
  return [
    heading,
    ...rows.map(({ name, text }) => shown`  ${name}${spaces(width - columnsOf(name))}  ${text}`),
    ...(rest > 0 ? [shown`  … ${count(rest, 'more file')}`] : []),
  ];
}

/** Formats a file path for people; safe for a terminal. */
function nameOf(folder: string | undefined, path: string): Shown {
  return plainLine(folder === undefined ? path : relative(folder, path), PATH_COLUMNS);
}

/** Returns the planned files as JSON, with the planned action for each path. */
export function planJson({ planned }: FilesPlan): readonly JsonValue[] {
  return planned.map(({ step }) => fileJson(step));
}

/** Returns the results as JSON. */
export function resultJson(results: readonly FileResult[]): readonly JsonValue[] {
  return results.map((result) => (result.what === 'left' ? fileJson(result.step) : { ...result }));
}

function fileJson(step: FileStep): JsonValue {
  const { path, what } = step;
  if (what === 'left') {
    const { left } = step;
    return { path, what, why: left.type === 'unkept' ? left.why : left.type };
  }
  return { path, what, ...(what !== 'same' && step.isMixed && { mixed: true }) };
}

/**
 * Whether any files could be restored. Includes `changed` files, which can only be restored by overwriting
 * other changes.
 */
export function offersFiles({ planned }: FilesPlan): boolean {
  return planned.some(({ step }) => step.what !== 'left' || step.left.type === 'changed');
}

/**
 * Asks the user to choose a row. Resolves to the index of the chosen row, or to `undefined` if the user chose
 * none.
 */
export type Choose = (question: {
  readonly message: string;
  readonly rows: readonly string[];
}) => Promise<number | undefined>;

const CHOICES = [
  { row: 'Conversation and files', conversation: true, files: true },
  { row: 'Conversation only', conversation: true, files: false },
  { row: 'Files only', conversation: false, files: true },
] as const;

/**
 * Asks which parts to restore, and whether to overwrite files that something else changed. Returns
 * `undefined` if the user chooses nothing.
 */
export async function chooseBack({ folder, planned }: FilesPlan, choose: Choose): Promise<Back | undefined> {
  const rows = CHOICES.map(({ row }) => row);
  const chosen = await choose({ message: 'Restore what?', rows });
  const choice = chosen === undefined ? undefined : CHOICES[chosen];
  if (choice === undefined) return undefined;
  const { conversation, files } = choice;
  const changed = planned.flatMap(({ step }) =>
    step.what === 'left' && step.left.type === 'changed' ? [step.path] : [],
  );
  const [first, ...more] = changed;
  if (!files || first === undefined) return { conversation, files, overwrite: false, isChosen: true };
  const name = more.length === 0 ? nameOf(folder, first) : shown`${changed.length} files`;
  const them = more.length === 0 ? 'it' : 'them';
  const answer = await choose({
    message: `Something else has changed ${name} since then. Overwrite ${them}?`,
    rows: [`Leave ${them}`, `Overwrite ${them}`],
  });
  return answer === undefined ? undefined : { conversation, files, overwrite: answer === 1, isChosen: true };
}
