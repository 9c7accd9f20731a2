import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Invariant: a list of what is harmless decides here, and what is not in it asks. Git runs programs by dozens of settings
// (`core.fsmonitor`, filters, converters, pagers, aliases, transports), by hooks, and takes any folder that looks like a
// repository for one; a list of these would never be complete.

/** Repository settings that are data and name no program, in lower case; `*` is any name. */
const DATA: ReadonlySet<string> = new Set(
  `core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode
   core.symlinks core.autocrlf core.eol core.quotepath core.abbrev core.compression core.untrackedcache
   extensions.objectformat extensions.refstorage remote.*.url remote.*.fetch remote.*.pushurl remote.*.prune remote.*.tagopt
   branch.*.remote branch.*.merge branch.*.rebase branch.*.description user.name user.email user.signingkey
   init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune merge.ff
   merge.conflictstyle rebase.autosquash rebase.autostash color.ui submodule.*.url submodule.*.active
   submodule.*.branch advice.* gc.auto rerere.enabled log.date log.abbrevcommit status.short status.branch commit.verbose`
    .split(/\s+/u)
    .filter((name) => name !== ''),
);

/** Parts of a repository that redirect git, or name programs outside its configuration. */
const ELSEWHERE: readonly string[] = [
  'commondir',
  'config.worktree',
  'gitdir',
  'worktrees',
  'info/attributes',
  'modules',
];

/**
 * Explains why git may run another program in a folder; `undefined` for the top of a plain repository, or no
 * repository.
 */
export function gitRunsMore(folder: string): string | undefined {
  const git = path.join(folder, '.git');
  const found = kindOf(git);
  if (found === undefined) {
    if (kindOf(path.join(folder, 'HEAD')) === undefined) return outer(folder);
    return 'the folder itself looks like a repository';
  }
  if (found !== 'folder') return '`.git` is not a folder: the repository is elsewhere';
  const elsewhere = ELSEWHERE.find((name) => kindOf(path.join(git, name)) !== undefined);
  if (elsewhere !== undefined) return `\`.git/${elsewhere}\` may name programs`;
  const hook = namesIn(path.join(git, 'hooks')).find((name) => !name.endsWith('.sample'));
  if (hook !== undefined) return `\`.git/hooks/${hook}\` runs`;
  if (hasSubmodules(git)) return 'git runs what the settings of its submodules name';
  return strangeSetting(path.join(git, 'config'));
}

/**
 * Mode of an index entry that is another repository's commit. Source: https://git-scm.com/docs/index-format.
 */
const GITLINK = Buffer.from([0, 0, 0o160000 >> 8, 0]);

/** Whether the index may have a submodule: its four bytes are found anywhere, or parts of it are in other files. */
function hasSubmodules(git: string): boolean {
  const index = path.join(git, 'index');
  if (namesIn(git).some((name) => name.startsWith('sharedindex.'))) return true;
  try {
    const facts = lstatSync(index, { throwIfNoEntry: false });
    if (facts === undefined) return false;
    return !facts.isFile() || readFileSync(index).includes(GITLINK);
  } catch {
    return true; // what cannot be looked at may be anything
  }
}

/** A folder without its own repository belongs to the nearest one above, whose top is another folder. */
function outer(folder: string): string | undefined {
  for (let at = path.dirname(folder); ; at = path.dirname(at)) {
    if (['.git', 'HEAD'].some((name) => kindOf(path.join(at, name)) !== undefined)) return gitRunsMore(at);
    if (path.dirname(at) === at) return undefined;
  }
}

/** Returns a setting not known to be data. An unreadable line counts as one. */
function strangeSetting(file: string): string | undefined {
  let section = '';
  for (const line of textOf(file).split(/\r?\n/u)) {
    const text = line.trim();
    if (text === '' || text.startsWith('#') || text.startsWith(';')) continue;
    const [, name, sub] = /^\[\s*([\w-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]$/u.exec(text) ?? [];
    if (name !== undefined) {
      section = `${name.toLowerCase()}${sub === undefined ? '' : '.*'}`;
      continue;
    }
    const [, key, value = ''] = /^([A-Za-z][\w-]*)\s*(?:=\s*([^\\]*))?$/u.exec(text) ?? [];
    const full = `${section}.${key?.toLowerCase() ?? ''}`;
    const isData = key !== undefined && (DATA.has(full) || DATA.has(`${section}.*`)) && !value.includes('::');
    if (!isData)
      return `\`${key === undefined ? text.slice(0, LONGEST) : full}\` of \`.git/config\` may name a program`;
    if (full === 'core.bare' && !/^false$/iu.test(value)) return 'the repository is bare';
  }
  return undefined;
}

/** Shown characters of a line. */
const LONGEST = 60;

function kindOf(file: string): 'folder' | 'other' | undefined {
  try {
    return lstatSync(file).isDirectory() ? 'folder' : 'other';
  } catch {
    return undefined; // not there
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return kindOf(folder) === undefined ? [] : ['']; // what cannot be looked at may be anything
  }
}

/** Reads a plain file; for anything else, returns a word that is not a setting. */
function textOf(file: string): string {
  try {
    const facts = lstatSync(file, { throwIfNoEntry: false });
    if (facts === undefined) return '';
    return facts.isFile() ? readFileSync(file, 'utf8') : 'unreadable';
  } catch {
    return 'unreadable';
  }
}
