// The packages that modules load from the folders `node_modules` around them.
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

import { membersOf, sha256 } from '../core/index.js';
import { isBelow } from './holdings.js';
import { manifestIn, packageRoot } from './manifest.js';

/** Maximum number of packages; no set of tools loads more. */
const MOST_PACKAGES = 2_000;
/** If a package has more files or bytes than this, the rest is identified by size and timestamps. */
const MOST_FILES = 400;
const MOST_BYTES = 8 << 20;

/** The names that a folder's modules import. */
interface Imported {
  readonly folder: string;
  readonly names: readonly string[];
}

/**
 * Returns the resolved folders of imported packages and their dependencies. Excludes this program. Also
 * excludes any package that contains the importing module, because its files are followed by path.
 */
export function packageFolders(imported: readonly Imported[]): readonly string[] {
  const own = packageRoot(import.meta.dirname);
  const found = new Set<string>();
  const waiting = [...imported];
  for (let at = waiting.pop(); at !== undefined && found.size < MOST_PACKAGES; at = waiting.pop())
    for (const name of at.names) {
      const folder = packageFolder(packageOf(name), at.folder);
      if (folder === undefined || folder === own || found.has(folder)) continue;
      if (imported.some((one) => isBelow(one.folder, folder))) continue;
      found.add(folder);
      waiting.push({ folder, names: dependenciesOf(folder) });
    }
  return [...found];
}

/** Returns the package that an import belongs to: `@a/b` for `@a/b/c`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Finds a package's folder the way a module in the folder `from` would, with links resolved. Returns
 * `undefined` if the package is not found.
 */
export function packageFolder(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (isFolder(candidate)) return realpathSync(candidate);
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** Returns the names of a package's dependencies. */
export function dependenciesOf(folder: string): readonly string[] {
  const manifest = manifestIn(folder);
  return ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap((key) =>
    Object.keys(membersOf(manifest[key])),
  );
}

/** Whether a path is a folder, or a link to one. */
export function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false; // not there
  }
}

/** Fingerprints a package's content, excluding nested packages. */
export function packageFingerprint(folder: string): string {
  const said: string[] = [];
  const waiting = [folder];
  let bytes = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (entry.name === 'node_modules' || entry.name === '.git') continue;
      const file = path.join(at, entry.name);
      if (entry.isDirectory()) {
        waiting.push(file);
        continue;
      }
      const facts = lstatSync(file);
      bytes += facts.size;
      const isRead = facts.isFile() && bytes <= MOST_BYTES && said.length < MOST_FILES;
      const content = isRead
        ? sha256(readFileSync(file))
        : `${facts.size} ${facts.mtimeMs} ${facts.ctimeMs} ${entry.isSymbolicLink() ? readlinkSync(file) : ''}`;
      said.push(`${path.relative(folder, file)} ${content}`);
    }
  return sha256(said.sort().join('\n'));
}
