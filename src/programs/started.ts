import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  dependenciesOf,
  foundBytes,
  isBelow,
  isFolder,
  packageFolder,
  packageRoot,
  STEERING_NAMES,
} from '../files/index.js';

/** A file or folder that hitl starts or loads, or that another program later starts or follows. */
export interface Started {
  /** Absolute path. Everything below it is included. */
  readonly path: string;
  readonly kind:
    | 'configuration'
    | 'tool module'
    | 'workflow'
    | 'server'
    | 'notify'
    | 'key command'
    | 'reviewer'
    | 'this program'
    | 'repository'
    | 'instructions'
    | 'steers others';
  /** The program that starts or loads it, and when; shown in warnings. */
  readonly why: string;
  /**
   * Whether the path matters because of its name alone, regardless of its location and even if no
   * configuration mentions it.
   */
  readonly names?: true;
}

/** Returns the paths in a folder that other agents run or follow, whether or not they exist. */
export function steering(folder: string): readonly Started[] {
  return STEERING_NAMES.map((name) => ({
    path: path.resolve(folder, name), // without a slash at the end
    kind: 'steers others',
    why: 'other agents run what it specifies, or follow its instructions',
    names: true,
  }));
}

/** Parts of a repository that can cause programs to run the next time the repository is used. */
const PARTS: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'info/attributes',
  'modules',
  'worktrees',
];

/** Maximum number of folders searched. */
const MOST_FOLDERS = 10_000;
/**
 * Whether a folder is itself a repository, for example a bare one. Source: setup.c of git,
 * `is_git_directory`.
 */
export function isRepository(names: ReadonlySet<string>): boolean {
  return names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')));
}

/**
 * Returns, for every repository in or below a folder, the parts that can run programs, whether or not they
 * exist.
 */
export function repositories(folder: string): readonly Started[] {
  const found: Started[] = [];
  const waiting = [folder];
  for (const [count, at] of waiting.entries()) {
    if (count === MOST_FOLDERS) break;
    const entries = entriesOf(at);
    const names = new Set(entries.map(({ name }) => name));
    if (isRepository(names)) {
      found.push(...partsOf(at, at));
      continue;
    }
    for (const entry of entries) {
      const file = path.join(at, entry.name);
      if (entry.name === '.git') found.push(...repositoryAt(file, folder));
      else if (entry.name === 'node_modules') found.push(...packagesIn(file, folder));
      else if (entry.isDirectory()) waiting.push(file);
    }
  }
  return found;
}

/**
 * Returns the parts of the repositories at the root of installed packages. Folders inside a package are not
 * searched, because only tools create repositories there.
 */
function packagesIn(modules: string, folder: string): readonly Started[] {
  const packages = entriesOf(modules).flatMap(({ name }) =>
    name.startsWith('@')
      ? entriesOf(path.join(modules, name)).map((one) => path.join(name, one.name))
      : [name],
  );
  return packages
    .map((name) => path.join(modules, name, '.git'))
    .filter((git) => existsSync(git))
    .flatMap((git) => repositoryAt(git, folder));
}

/**
 * Returns the parts of the repository that a `.git` folder or file belongs to. The folder that a `.git` file
 * refers to is included only if it is below `folder`.
 */
function repositoryAt(git: string, folder: string): readonly Started[] {
  const root = path.dirname(git);
  if (isFolder(git)) return partsOf(git, root);
  const named = /^gitdir:\s*(.+?)\s*$/mu.exec(textOf(git))?.[1];
  const there = named === undefined ? git : path.resolve(root, named);
  return [repositoryPart(git), ...(isFolder(there) && isBelow(there, folder) ? partsOf(there, root) : [])];
}

function repositoryPart(file: string): Started {
  const why = 'git runs its hooks and the programs that its configuration specifies';
  return { path: file, kind: 'repository', why, names: true };
}

function entriesOf(folder: string): readonly { name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone, or not ours to enter
  }
}

/** Returns the parts of a repository and the hooks folder specified in its configuration. */
function partsOf(git: string, root: string): readonly Started[] {
  const hooks = /^\s*hookspath\s*=\s*"?([^"\n]+?)"?\s*$/imu.exec(textOf(path.join(git, 'config')))?.[1];
  return [
    ...PARTS.map((part) => repositoryPart(path.join(git, part))),
    ...(hooks === undefined || hooks.startsWith('~') ? [] : [repositoryPart(path.resolve(root, hooks))]),
  ];
}

/**
 * Returns this package's folder and, if the package is in the workspace, those of its dependencies. If the
 * user is working on this package itself, returns only its build folder, because the rest is the user's work.
 */
export function ownPackage(from: string, workspace: string): readonly Started[] {
  const root = packageRoot(from);
  if (root === undefined) return [];
  const why = 'it is part of hitl and runs at the next start';
  const own = (file: string): Started => ({ path: file, kind: 'this program', why });
  if (isBelow(workspace, root)) return [own(path.join(root, 'dist'))];
  return [root, ...(isBelow(root, workspace) ? loadedBy(root) : [])].map(own);
}

/** Returns the folders of a package's direct and transitive dependencies. */
function loadedBy(root: string): readonly string[] {
  const found = new Set<string>();
  const waiting = [root];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const name of dependenciesOf(at)) {
      const folder = packageFolder(name, at);
      if (folder === undefined || found.has(folder)) continue;
      found.add(folder);
      waiting.push(folder);
    }
  return [...found];
}

function textOf(file: string): string {
  try {
    return foundBytes(file)?.toString('utf8') ?? '';
  } catch {
    return ''; // not there, or no file
  }
}
