import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Invariant: a list of what is harmless decides here, and what is not in it asks. Git runs programs by dozens of settings
// (`core.fsmonitor`, filters, converters, pagers, aliases, transports), by hooks, and takes any folder that looks like a
// repository for one; a list of these would never be complete.

/**
 * Git settings that contain only data and cannot specify a program, in lower case. `*` stands for any name.
 */
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

/**
 * Parts of a repository that point git elsewhere, or that can specify programs outside the main
 * configuration.
 */
const ELSEWHERE: readonly string[] = [
  'commondir',
  'config.worktree',
  'gitdir',
  'worktrees',
  'info/attributes',
  'modules',
];

/**
 * Returns the reason that git may run other programs in a folder; `undefined` in a plain repository, or
 * outside any repository.
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
  if (elsewhere !== undefined) return `\`.git/${elsewhere}\` may specify programs to run`;
  const hook = namesIn(path.join(git, 'hooks')).find((name) => !name.endsWith('.sample'));
  if (hook !== undefined) return `\`.git/hooks/${hook}\` runs`;
  if (hasSubmodules(git)) return 'git runs programs that its submodule settings specify';
  return strangeSetting(path.join(git, 'config'));
}

/**
 * Mode of an index entry that refers to a commit of another repository. Source:
 * https://git-scm.com/docs/index-format.
 */
const GITLINK = Buffer.from([0, 0, 0o160000 >> 8, 0]);

/**
 * Whether the index may contain a submodule: the four mode bytes appear anywhere in it, it is split across
 * files, or it cannot be read.
 */
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

/** Checks the nearest repository above a folder that is not a repository itself. */
function outer(folder: string): string | undefined {
  for (let at = path.dirname(folder); ; at = path.dirname(at)) {
    if (['.git', 'HEAD'].some((name) => kindOf(path.join(at, name)) !== undefined)) return gitRunsMore(at);
    if (path.dirname(at) === at) return undefined;
  }
}

/** Describes the first setting not known to be plain data, or the first unreadable line. */
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
      return `\`${key === undefined ? text.slice(0, LONGEST) : full}\` in \`.git/config\` may specify a program to run`;
    if (full === 'core.bare' && !/^false$/iu.test(value)) return 'the repository is bare';
  }
  return undefined;
}

/** Maximum length of a quoted line, in characters. */
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

/**
 * Returns the content of a regular file; empty if it does not exist. For anything else, returns a word that
 * is not a valid setting, so that the check fails.
 */
function textOf(file: string): string {
  try {
    const facts = lstatSync(file, { throwIfNoEntry: false });
    if (facts === undefined) return '';
    return facts.isFile() ? readFileSync(file, 'utf8') : 'unreadable';
  } catch {
    return 'unreadable';
  }
}
