import { readFile } from 'node:fs/promises';
import path from 'node:path';

import type { ToolContext } from '../../core/index.js';
import { HitlError, isHitlError, messageOf, MOST_COPIED } from '../../core/index.js';
import type { Place } from '../../files/index.js';
import { lookAt, placeOf, readBytes, removeFile, removeFolder, writeText } from '../../files/index.js';
import type { CopyChange, FolderCopy } from '../sandbox/folder-copy.js';
import { changesIn } from '../sandbox/folder-copy.js';

import type { BuiltinOptions } from './builtin-options.js';
import { lineCounts, whyLookedAt } from './file-change.js';
import { differences, isOfGit, readIndex, sortGit } from './git-home.js';

// Invariants:
// H1 A file comes back only where `write_file` and `edit_file` could change it without a question, and only if that can be
//    undone: what it was is kept before it changes.
// H2 A file that is no longer what was copied stays as it is.
// H3 Everything is decided before the first file changes; from then on only a stop, or a file that changes meanwhile, keeps
//    one back, and it is told.

/** A file that came back. */
export interface BroughtFile {
  readonly path: string;
  readonly change: 'made' | 'changed' | 'deleted';
  /** Lines; absent for what is no text, or is large. */
  readonly added?: number;
  readonly removed?: number;
}

/** A file that did not. */
export interface HeldFile {
  readonly path: string;
  readonly why: string;
}

/** What came back of a copy. */
export interface BroughtHome {
  readonly changed: readonly BroughtFile[];
  readonly heldBack: readonly HeldFile[];
  /** Whether it was stopped before everything was back. */
  readonly isCut: boolean;
}

type Context = Pick<ToolContext, 'noteFile' | 'signal'> & {
  /** Runs git in the copy, and returns what it prints; `undefined` if it failed. */
  readonly git: (args: readonly string[]) => Promise<string | undefined>;
};
type Coming = Exclude<CopyChange, { readonly what: 'held' }>;

/** A change that may come back. */
interface Planned {
  readonly change: Coming;
  readonly place: Place;
  readonly before: Buffer | undefined;
}

/**
 * Brings what a command changed in a copy back to the folder (H1).
 * @throws HitlError TOOL_FAILED if that is too much; then nothing comes back.
 */
export async function bringHome(
  copy: FolderCopy,
  options: BuiltinOptions,
  context: Context,
): Promise<BroughtHome> {
  const { changes, removed } = await changesIn(copy);
  const isRepository = copy.entries.get('.git')?.type === 'folder';
  const ofGit = isRepository ? changes.filter(isOfGit) : [];
  const heldBack: HeldFile[] = [];
  const planned: Planned[] = [];
  for (const change of changes) {
    if (isRepository && isOfGit(change)) continue;
    if (change.what === 'held') {
      heldBack.push({ path: change.path, why: change.why });
      continue;
    }
    const plan = await planOne(copy, change, options);
    if (typeof plan === 'string') heldBack.push({ path: change.path, why: plan });
    else if (plan !== undefined) planned.push(plan);
  }
  const git = ofGit.length === 0 ? undefined : await planGit(copy, ofGit, { options, context, heldBack });
  const changed: BroughtFile[] = [];
  for (const one of planned) {
    if (context.signal.aborted) return { changed, heldBack, isCut: true };
    const why = await bringOne(one, context);
    if (why === undefined) changed.push(toldOf(one));
    else heldBack.push({ path: one.change.path, why });
  }
  // A folder that had files is made again with them.
  const emptied = removed.filter((folder) =>
    changed.some((one) => one.change === 'deleted' && one.path.startsWith(`${folder}/`)),
  );
  await removeFolders(copy, emptied, options);
  if (git !== undefined) {
    const why = heldBack.length > 0 ? 'not everything else came back' : await bringGit(git, context);
    if (why === undefined) changed.push({ path: '.git', change: 'changed' });
    else heldBack.push({ path: '.git', why });
  }
  return { changed, heldBack, isCut: false };
}

interface PlannedGit {
  readonly objects: readonly Planned[];
  readonly others: readonly Planned[];
}

/**
 * Plans what git did, which comes back with everything else, or nothing does (V1 of `git-home.ts`).
 * @throws HitlError TOOL_FAILED if it cannot come back; `undefined` if it did nothing that counts.
 */
async function planGit(
  copy: FolderCopy,
  changes: readonly CopyChange[],
  {
    options,
    context,
    heldBack,
  }: { options: BuiltinOptions; context: Context; heldBack: readonly HeldFile[] },
): Promise<PlannedGit | undefined> {
  const refused = (why: string): HitlError =>
    new HitlError('TOOL_FAILED', `it changed the repository, which cannot come back: ${why}`);
  const found = await sortGit(changes);
  if (typeof found === 'string') throw refused(found);
  const { objects, others, commits, index } = found;
  const packed = others.find(({ path: name }) => name === '.git/packed-refs');
  if (packed !== undefined && !(await onlyLoses(copy, packed))) throw refused('it packed references');
  const names = new Set(index === undefined ? [] : await namesOfIndex(copy, index, refused));
  if (objects.length === 0 && names.size === 0 && others.every(({ path: name }) => name === '.git/index'))
    return undefined;
  if (heldBack.length > 0) throw refused(`${heldBack[0]?.path ?? ''} cannot come back either`);
  for (const commit of commits) {
    const printed = await context.git(['diff-tree', ...DIFFERENCES, commit]);
    if (printed === undefined) throw refused('a commit cannot be read');
    for (const name of printed.split('\0')) if (name !== '') names.add(name);
  }
  for (const name of names) {
    const why = await whyAsked(path.join(copy.root, name), name, options);
    if (why !== undefined) throw refused(`${name}: ${why}`);
  }
  const planAll = async (all: readonly Coming[]): Promise<readonly Planned[]> => {
    const plans: Planned[] = [];
    for (const change of all) {
      const plan = await planOfGit(copy, change, options).catch((error: unknown) => whyFailed(error));
      if (typeof plan === 'string') throw refused(`${change.path}: ${plan}`);
      if (plan !== undefined) plans.push(plan);
    }
    return plans;
  };
  return { objects: await planAll(objects), others: await planAll(others) };
}

/** Whether packed references are some of those that were packed before: another one may replace an object. */
async function onlyLoses({ root }: FolderCopy, change: Coming): Promise<boolean> {
  if (change.what !== 'changed') return false;
  const before = await readFile(path.join(root, change.path), 'latin1').catch(() => '');
  const lines = new Set(before.split('\n'));
  return change.bytes
    .toString('latin1')
    .split('\n')
    .every((line) => lines.has(line));
}

/** Every file that differs from that of a parent. */
const DIFFERENCES = [
  '-r',
  '-m',
  '--root',
  '--no-commit-id',
  '--name-only',
  '--no-renames',
  '--ignore-submodules=none',
  '-z',
];

/** Files that the index has otherwise than before. */
async function namesOfIndex(
  { root, entries }: FolderCopy,
  index: Buffer,
  refused: (why: string) => HitlError,
): Promise<readonly string[]> {
  const was = entries.get('.git/index');
  const before =
    was === undefined ? undefined : await readFile(path.join(root, '.git/index')).catch(() => undefined);
  const [from, to] = [before === undefined ? new Map<string, string>() : readIndex(before), readIndex(index)];
  if (from === undefined || to === undefined) throw refused('its index has what is not looked at');
  return differences(from, to);
}

async function planOfGit(
  { root }: FolderCopy,
  change: Coming,
  options: BuiltinOptions,
): Promise<Planned | string | undefined> {
  const file = path.join(root, change.path);
  const place = await placeOf(file, options);
  if (place.path !== file || !place.inside) return 'a link is in its place';
  if (change.before === undefined) {
    if ((await lookAt(place)) === undefined) return { change, place, before: undefined };
    return change.path.startsWith('.git/objects/')
      ? undefined
      : 'something else made it while the command ran';
  }
  if (change.before.size > MOST_COPIED) return 'it is too large to be kept, so this could not be undone';
  return { change, place, before: await readBytes(place, change.before) };
}

/** Writes objects, which are part of nothing yet, keeps what the rest is, and changes it; says why not. */
async function bringGit({ objects, others }: PlannedGit, context: Context): Promise<string | undefined> {
  try {
    for (const { change, place } of objects)
      if (change.what !== 'deleted') await writeText(place, change.bytes, { mode: 0o444 });
  } catch (error) {
    return whyFailed(error);
  }
  for (const one of others)
    if (!(await keepOne(one, context))) return 'it cannot be kept, so this could not be undone';
  for (const one of others) {
    const why = await changeOne(one);
    if (why !== undefined) return `${one.change.path}: ${why}`;
  }
  return undefined;
}

/** Says why a file is not changed without a question. */
async function whyAsked(file: string, name: string, options: BuiltinOptions): Promise<string | undefined> {
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/u.test(name)) return 'its name has characters that cannot be seen';
  const place = await placeOf(file, options);
  if (place.path !== file) return 'a link is in its place';
  const { why, facts } = whyLookedAt(place, options.starts);
  return why ?? options.copies?.whyNot({ path: name, facts });
}

/** Plans a change; says why it does not come back; `undefined` if there is nothing to do. */
async function planOne(
  { root }: FolderCopy,
  change: Coming,
  options: BuiltinOptions,
): Promise<Planned | string | undefined> {
  const file = path.join(root, change.path);
  try {
    const asked = await whyAsked(file, change.path, options);
    if (asked !== undefined) return asked;
    const place = await placeOf(file, options);
    if (change.before === undefined)
      return (await lookAt(place)) === undefined
        ? { change, place, before: undefined }
        : 'something else made it while the command ran';
    if (change.before.size > MOST_COPIED) return 'it is too large to be kept, so this could not be undone';
    const before = await readBytes(place, change.before);
    if (change.what === 'changed' && before.equals(change.bytes))
      return sameRights(change) ? undefined : 'only its permissions changed';
    return { change, place, before };
  } catch (error) {
    return whyFailed(error);
  }
}

function sameRights({ before, isProgram }: Coming & { readonly what: 'changed' | 'made' }): boolean {
  return before === undefined || ((Number(before.mode) & 0o111) !== 0) === isProgram;
}

/** Keeps what a file is, and changes it; says why not. */
async function bringOne(planned: Planned, context: Context): Promise<string | undefined> {
  return (await keepOne(planned, context))
    ? changeOne(planned)
    : 'it cannot be kept, so this could not be undone';
}

async function keepOne({ change, place, before }: Planned, { noteFile }: Context): Promise<boolean> {
  const rights = change.before === undefined ? 0 : Number(change.before.mode) & 0o777;
  const kept = await noteFile?.({
    path: place.path,
    before: before === undefined ? 'absent' : { bytes: before, mode: rights },
    after: change.what === 'deleted' ? null : change.bytes,
    undoable: true,
  });
  return kept === true;
}

async function changeOne({ change, place }: Planned): Promise<string | undefined> {
  try {
    if (change.what === 'deleted') await removeFile(place, change.before);
    else
      await writeText(place, change.bytes, {
        ...(change.before !== undefined && { before: change.before }),
        ...(change.isProgram && { mode: 0o755 }),
      });
    return undefined;
  } catch (error) {
    return whyFailed(error);
  }
}

function whyFailed(error: unknown): string {
  if (isHitlError(error) && error.code === 'TOOL_FAILED') return messageOf(error);
  throw error;
}

/** Removes folders that are gone in the copy and empty here. */
async function removeFolders(
  { root }: FolderCopy,
  removed: readonly string[],
  options: BuiltinOptions,
): Promise<void> {
  for (const name of removed) {
    const folder = path.join(root, name);
    const place = await placeOf(folder, options).catch(() => undefined);
    if (place?.path === folder && place.inside) await removeFolder(place);
  }
}

function toldOf({ change, before }: Planned): BroughtFile {
  const after = change.what === 'deleted' ? undefined : change.bytes;
  return { path: change.path, change: change.what, ...lineCounts(before, after) };
}
