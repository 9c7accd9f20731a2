// Invariants:
// G1 Nothing that a repository says is run: no hook, filter, monitor, converter or remote of it. Git reads names and
//    contents of what was committed; the files of the folder are read and compared here.
import type { Readable } from 'node:stream';
import { startProgram } from '../../src/programs/index.js';

/** The state of a folder at a given time, according to its git repository. */
export interface GitPast {
  /** Object names of the blobs committed at that time, by path relative to the folder. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that exist now and are not ignored, as paths relative to the folder. */
  readonly present: readonly string[];
  /** Reads the content of a blob. */
  read(blob: string, signal: AbortSignal): Promise<string>;
}

const QUIET = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting]);
const MOST_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

/** A folder, the user's home folder, and the environment. */
interface PastPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the state of a folder at a given time (ISO 8601), or `undefined` if git is not installed or there
 * is no repository.
 */
export async function gitPast(
  place: PastPlace,
  at: string,
  signal: AbortSignal,
): Promise<GitPast | undefined> {
  const ask = (args: readonly string[]): Promise<string> => git(place, args, signal);
  try {
    const present = pathsOf(
      await ask(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.']),
    );
    const commit = await ask(['rev-parse', '--verify', '--quiet', `HEAD@{${at}}^{commit}`]).catch(() => '');
    const tree = commit === '' ? '' : await ask(['ls-tree', '-r', '-z', commit.trim(), '--', '.']);
    return {
      files: filesOf(tree),
      present,
      read: (blob, stop) => git(place, ['cat-file', 'blob', blob], stop),
    };
  } catch {
    signal.throwIfAborted();
    return undefined; // no git, or no repository
  }
}

async function git(
  { cwd, home, env }: PastPlace,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const own = { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' };
  const child = startProgram(
    'git',
    { program: 'git', args: [...QUIET, ...args], place: { cwd, home }, env: own },
    { signal, timeout: TIMEOUT_MS, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [said, status] = await Promise.all([textOf(child.stdout), ended]);
  if (status === 0) return said;
  throw new Error('git failed');
}

/** Reads a stream as text. @throws Error if it is longer than the limit. */
async function textOf(stream: Readable | null): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream ?? []) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new Error('git returned too much output');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function pathsOf(text: string): readonly string[] {
  return text.split('\0').filter((path) => path !== '');
}

/** Parses the output of `ls-tree -z`: mode, type and name of the object, a tab, and the path. */
function filesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    pathsOf(text).flatMap((line): [string, string][] => {
      const [, blob, path] = /^100\d{3} blob ([0-9a-f]+)\t([^]+)$/u.exec(line) ?? [];
      return blob === undefined || path === undefined ? [] : [[path, blob]];
    }),
  );
}
