import type { BigIntStats } from 'node:fs';

import type { Change } from 'diff';
import { createTwoFilesPatch, diffLines } from 'diff';

import type { ApprovalRequest, Facts, NotedFile, ToolContext } from '../../core/index.js';
import { MOST_COPIED } from '../../core/index.js';
import type { Place, StartedPath, Workspace } from '../../files/index.js';
import {
  isBelow,
  isBinary,
  lookAt,
  namesThatRun,
  projectNamesThatRun,
  readBytes,
  readText,
} from '../../files/index.js';

import { holdingWarnings, linkWarnings, patternFact, placeWarnings } from './read-request.js';

/** Maximum file size for a line-by-line comparison, in bytes. For larger files, only the size is shown. */
const MAX_DIFF_BYTES = 1024 * 1024;
/** Maximum number of differing lines in a diff. A longer diff would be slow to compute and hard to read. */
const MAX_EDITS = 4000;

/** New text for a file. */
export interface FileChange {
  readonly place: Place;
  readonly after: string;
  /** Returns the files that the program starts or loads. Default: none. */
  readonly starts?: Workspace['starts'] | undefined;
}

/**
 * A planned change, with the status that the file had when the question was created (`undefined` for a new
 * file).
 */
export interface PlannedChange {
  readonly request: ApprovalRequest;
  readonly before: BigIntStats | undefined;
}

/**
 * Creates the question asked before a file changes. It shows the real path, the kind of change and the diff.
 */
export async function planChange({
  place,
  after,
  starts: started = () => [],
}: FileChange): Promise<PlannedChange> {
  const before = await textBefore(place);
  const starts = started();
  const runs = runWarnings(place, starts);
  const diff =
    before.text === undefined
      ? undefined
      : unifiedDiff(place, before.text, after, before.stats !== undefined);
  const warnings = [
    ...placeWarnings(place, 'outside the working directory'),
    ...linkWarnings(place),
    ...runs,
    ...holdingWarnings(place),
    ...before.warnings,
    ...(before.text !== undefined && diff === undefined ? ['the change is too large to show as a diff'] : []),
  ];
  const { stats } = before;
  const facts = {
    ...changeFacts(place, () => starts),
    change: stats === undefined ? 'creates the file' : `replaces ${stats.size} bytes`,
    // Another content of the same length would be the same question.
    ...(stats !== undefined &&
      diff === undefined && { 'last changed': new Date(Number(stats.mtimeMs)).toISOString() }),
  };
  const request = { facts, ...(diff !== undefined && { diff }), ...(warnings.length > 0 && { warnings }) };
  return { request, before: stats };
}

/** Returns the details that rules match before a file changes. Does not read the file. */
export function changeFacts(place: Place, starts: Workspace['starts'] = () => []): Facts {
  return { path: place.path, ...patternFact([...runWarnings(place, starts()), ...holdingWarnings(place)]) };
}

/**
 * Stores the content of a file before it changes, so that it can be restored. Nothing is stored for files
 * outside the working directory, and no content is stored for files that usually contain keys.
 */
export async function noteChange(
  { noteFile }: Pick<ToolContext, 'noteFile'>,
  { place, after }: Pick<FileChange, 'place' | 'after'>,
  before: BigIntStats | undefined,
): Promise<void> {
  const isInFolder = place.inside || place.wide !== undefined;
  if (noteFile === undefined || !isInFolder) return;
  await noteFile({
    path: place.path,
    before: await keepable(place, before),
    ...(place.holds === undefined && { after }),
  });
}

async function keepable(place: Place, before: BigIntStats | undefined): Promise<NotedFile['before']> {
  if (before === undefined) return 'absent';
  if (place.holds !== undefined) return 'secret';
  if (before.size > MOST_COPIED) return 'large';
  return { bytes: await readBytes(place, before), mode: Number(before.mode) & 0o777 };
}

/**
 * Returns the details that rules match. If the file must not change without asking, whatever its new content
 * is, also returns the reason. For example, the file may run later or contain keys.
 */
export function whyLookedAt(
  place: Place,
  starts: Workspace['starts'] = () => [],
): { readonly why?: string; readonly facts: Facts } {
  const warnings = [
    ...placeWarnings(place, 'outside the working directory'),
    ...linkWarnings(place),
    ...runWarnings(place, starts()),
    ...holdingWarnings(place),
  ];
  const [why] = warnings;
  return { ...(why !== undefined && { why }), facts: { path: place.path, ...patternFact(warnings) } };
}

/** Returns the numbers of lines that a change adds and removes, or an empty object if they are unknown. */
export function lineCounts(
  before: Buffer | undefined,
  after: Buffer | undefined,
): { readonly added?: number; readonly removed?: number } {
  const [from, to] = [before, after].map(textOf);
  if (from === undefined || to === undefined) return {};
  const parts = diffLines(from, to, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return {};
  const sum = (some: (part: Change) => boolean): number =>
    parts.filter(some).reduce((total, { count }) => total + count, 0);
  return { added: sum((part) => part.added), removed: sum((part) => part.removed) };
}

/**
 * Returns content as text: an empty string for a file that does not exist, or `undefined` if the content is
 * large or not text.
 */
function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return '';
  return bytes.length > MAX_DIFF_BYTES || isBinary(bytes) ? undefined : bytes.toString();
}

/**
 * Returns a warning if a file may run later, because hitl starts it, because of its name, or because of the
 * name of a link to it.
 */
function runWarnings(
  { path, given, inside, label }: Place,
  starts: readonly StartedPath[],
): readonly string[] {
  const started = starts.find((one) => isBelow(path, one.path) || isBelow(given, one.path));
  const within = inside ? projectNamesThatRun.find(`/${label}`) : undefined;
  const by = started?.why ?? namesThatRun.find(path) ?? namesThatRun.find(given) ?? within;
  return by === undefined ? [] : [`runs later: ${by}`];
}

interface Before {
  readonly stats: BigIntStats | undefined;
  readonly text?: string;
  readonly warnings: readonly string[];
}

async function textBefore(place: Place): Promise<Before> {
  if ((await lookAt(place)) === undefined) return { stats: undefined, text: '', warnings: [] };
  const read = await readText(place, MAX_DIFF_BYTES);
  const { stats } = read;
  if (read.type === 'binary') return { stats, warnings: ['replaces a binary file'] };
  if (read.cut) return { stats, warnings: ['the file is too large to show as a diff'] };
  const warnings = read.exact ? [] : ['not valid UTF-8; invalid bytes are shown as �'];
  return { stats, text: read.text, warnings };
}

/** Returns a diff. It is deterministic, so that it can be compared with the one that the user was shown. */
function unifiedDiff({ label }: Place, before: string, after: string, existed: boolean): string | undefined {
  const from = existed ? `a/${label}` : '/dev/null';
  const patch: string | undefined = createTwoFilesPatch(
    from,
    `b/${label}`,
    before,
    after,
    undefined,
    undefined,
    {
      context: 3,
      maxEditLength: MAX_EDITS,
    },
  );
  return patch?.replace(/^=+\n/, '');
}
