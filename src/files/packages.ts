// The packages that modules load from the folders `node_modules` around them.
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

import { membersOf, sha256 } from '../core/index.js';
import { isBelow } from './holdings.js';
import { manifestIn, packageRoot } from './manifest.js';

/** More packages than any tools load. */
const MOST_PACKAGES = 2_000;
/** In a package with more files or bytes, the rest is identified by size and times. */
const MOST_FILES = 400;
const MOST_BYTES = 8 << 20;

/** Names that are imported from a folder. */
interface Imported {
  readonly folder: string;
  readonly names: readonly string[];
}

/**
 * Returns the real folders of imported packages and their dependencies. Excludes this program, and a package
 * that contains the module, whose files are followed by path.
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

/** The name of the package that an import is of: `@a/b/c` is of `@a/b`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The folder of a package as a folder's modules find it, with links resolved. */
export function packageFolder(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (isFolder(candidate)) return realpathSync(candidate);
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** The names of the packages that a package depends on. */
export function dependenciesOf(folder: string): readonly string[] {
  const manifest = manifestIn(folder);
  return ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap((key) =>
    Object.keys(membersOf(manifest[key])),
  );
}

/** Whether a path is a folder, also through a link. */
export function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false; // not there
  }
}

/** Fingerprints a package's content, without nested packages. */
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
