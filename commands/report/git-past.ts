// Invariants:
// G1 Nothing that a repository says is run: no hook, filter, monitor, converter or remote of it. Git reads names and
//    contents of what was committed; the files of the folder are read and compared here.
import { execFile } from 'node:child_process';
import { delimiter, isAbsolute } from 'node:path';

/** The things that a repository knows of a folder at some moment. */
export interface GitPast {
  /** The names of the contents that were committed then, by path from the folder. */
  readonly files: ReadonlyMap<string, string>;
  /** Files of now that are not ignored, by path from the folder. */
  readonly present: readonly string[];
  /** The content of a name. */
  read(blob: string, signal: AbortSignal): Promise<string>;
}

const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'protocol.allow=never'];
const MOST_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

/** The past of a folder at a moment, ISO 8601; `undefined` where git is not there, or keeps nothing of the folder. */
export async function gitPast(
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
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

function git(
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const path = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute).join(delimiter);
  const own = { ...env, PATH: path, GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', LC_ALL: 'C' };
  const options = { cwd, env: own, signal, maxBuffer: MOST_BYTES, timeout: TIMEOUT_MS };
  return new Promise((resolve, reject) => {
    execFile('git', [...QUIET, ...args], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error instanceof Error ? error : new Error('git failed'));
    });
  });
}

function pathsOf(text: string): readonly string[] {
  return text.split('\0').filter((path) => path !== '');
}

/** Lines of `ls-tree -z`: mode, kind and name of the content, a tab, the path. */
function filesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    pathsOf(text).flatMap((line): [string, string][] => {
      const [, blob, path] = /^100\d{3} blob ([0-9a-f]+)\t([^]+)$/u.exec(line) ?? [];
      return blob === undefined || path === undefined ? [] : [[path, blob]];
    }),
  );
}
