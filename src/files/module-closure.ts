import { realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { codeName, digestOf, HitlError, isJsonObject, membersOf, sha256 } from '../core/index.js';
import { foundBytes } from './found-file.js';
import { isBelow } from './holdings.js';
import { folderOfManifest, isFile, manifestIn, manifestOf, packageRoot } from './manifest.js';
import { isFolder, packageFingerprint, packageFolders } from './packages.js';

/** A file and the fingerprint of its content when it was checked. */
export interface FileContent {
  /** Absolute path; for a server, its command and folder. */
  readonly path: string;
  /** SHA-256 of its bytes, as 64 hex digits. */
  readonly sha256: string;
}

/** Maximum number of files; nobody would review more. */
const MOST_FILES = 500;
/**
 * Maximum number of files in an installed package, for example a server. Such a package is checked as a
 * whole.
 */
const MOST_OF_PACKAGE = 5_000;

/** A module name in code, after `from`, `import`, `import(…)` or `require(…)`. */
const NAMED =
  /\b(?:from|import|require)(?:\s*\()?(?:\s*\/\*[^*\n]{0,200}\*\/)?\s*(["'`])(?=((?:\\[^]|(?!\1)[^\\\n]){1,5000})\1)/gu;

/** Any string that could be a path, because `require` may have been renamed. */
const STRINGS = /(["'`])(?=([./#\\f](?:\\[^]|(?!\1)[^\\\n]){1,1000})\1)/gu;

/** Files that are followed wherever their names appear in a module, because they are code. */
const CODE = /\.[mc]?[jt]sx?$/u;

/** Extensions that Node and the TypeScript loader try. */
const EXTENSIONS = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json', '.node'];

/**
 * Returns a module, everything that it imports by path, transitively, and the packages that these files load,
 * each with a fingerprint. Returns an empty list if the file does not exist. In doubt, includes too much,
 * such as names in comments, because the only consequence is that trust is requested more often. Names
 * computed at run time are not followed.
 * @throws HitlError BAD_CONFIG if a file is not a regular file, is too large, or is unreadable, or if there
 * are too many files.
 */
export function moduleClosure(module: string): readonly FileContent[] {
  const files = filesByPath(module);
  return [...files, ...packagesOf(files)];
}

/** Packages that always resolve to this program's own copy. */
const OWN: ReadonlySet<string> = new Set(['hitl', 'zod']);

/** Whether a module, or any module that it imports by path, imports `hitl` or `zod`. */
export function importsOwn(module: string): boolean {
  return filesByPath(module).some((file) => namedIn(file).some((name) => OWN.has(name)));
}

/** Returns the packages that the modules import, and their dependencies. */
function packagesOf(files: readonly FileContent[]): readonly FileContent[] {
  const from = files.map((file) => ({
    folder: path.dirname(file.path),
    names: namedIn(file).filter((name) => !OWN.has(name) && isPackageName(name)),
  }));
  return packageFolders(from).map(contentOf);
}

/** Returns the module names that a module mentions. */
function namedIn({ path: file }: FileContent): readonly string[] {
  return [...textOf(file).matchAll(NAMED)].map(([, , raw = '']) => unescaped(raw));
}

function isPackageName(name: string): boolean {
  return /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:\/|$)/u.test(name) && !isBuiltin(name);
}

function filesByPath(module: string): readonly FileContent[] {
  const found = new Map<string, FileContent>();
  const most = isInstalled(module) ? MOST_OF_PACKAGE : MOST_FILES;
  const program = path.join(packageRoot(import.meta.dirname) ?? '', 'dist'); // what it imports runs already
  const waiting = [module];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const bytes = foundBytes(file);
    if (bytes === undefined) continue; // whoever loads it says so
    if (found.size === most) throw tooMany(module, most);
    found.set(file, { path: file, sha256: sha256(bytes) });
    const real = realpathSync(file); // a loader reads it there, and what it imports beside it
    if (real !== file) waiting.push(real);
    if (path.extname(file) !== '.json' && !isBelow(real, program))
      waiting.push(...importsOf(file, bytes.toString('utf8')));
  }
  return [...found.values()];
}

/** Whether a module belongs to an installed package. */
function isInstalled(module: string): boolean {
  return isFile(module) && realpathSync(module).includes(`${path.sep}node_modules${path.sep}`);
}

/** An import whose name is not a single string literal. */
const MADE =
  /\b(?:import|require)\s*\(\s*(?!["'`\s)])|\b(?:import|require)\s*\(\s*(?:`[^`]*\$\{|(["'])(?:\\[^]|(?!\1)[^\\\n])*\1\s*[^\s,)])/u;

/** Returns the first module that loads files by computed names, which cannot be followed. */
export function madeNames(files: readonly FileContent[]): string | undefined {
  return files.find(({ path: file }) => MADE.test(textOf(file)))?.path;
}

function textOf(file: string): string {
  try {
    return /\.(?:json|node|wasm)$/u.test(file) ? '' : (foundBytes(file)?.toString('utf8') ?? '');
  } catch {
    return ''; // no module that could be loaded
  }
}

/**
 * Returns a file's path and fingerprint. A file that is too large to read is identified by its size,
 * modification time and inode.
 */
export function contentOf(file: string): FileContent {
  return { path: file, sha256: fingerprintOf(file) };
}

/** Returns the files that have changed since they were read. */
export function changedFiles(files: readonly FileContent[]): readonly string[] {
  return files.filter((file) => fingerprintOf(file.path) !== file.sha256).map((file) => file.path);
}

function fingerprintOf(file: string): string {
  try {
    if (isFolder(file)) return packageFingerprint(file);
    const bytes = foundBytes(file);
    return bytes === undefined ? '' : sha256(bytes);
  } catch {
    const facts = statSync(file, { throwIfNoEntry: false, bigint: true });
    return facts === undefined ? '' : sha256(`${facts.size} ${facts.mtimeNs} ${facts.ino}`);
  }
}

/**
 * Identifies a module's code by its content and everything that it imports by path, regardless of the folder
 * that contains it. If there are too many imports, uses only the module.
 * @throws HitlError BAD_CONFIG if it is not a file, is too large, or is unreadable.
 */
export function moduleCode(module: string): string {
  const folder = path.dirname(module);
  const files = closureOrItself(module).map((file) => [path.relative(folder, file.path), file.sha256]);
  return codeName('module', digestOf(files.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))));
}

function closureOrItself(module: string): readonly FileContent[] {
  try {
    return filesByPath(module);
  } catch {
    const bytes = foundBytes(module); // throws where the module itself is why
    return bytes === undefined ? [] : [{ path: module, sha256: sha256(bytes) }];
  }
}

function tooMany(module: string, most = MOST_FILES): HitlError {
  return new HitlError('BAD_CONFIG', `\`${module}\` imports more than ${most} files`, {
    hint: 'put them in a package',
  });
}

/** Returns every existing file that a module may import. */
function importsOf(file: string, text: string): readonly string[] {
  const places = (names: ReadonlySet<string>): readonly string[] =>
    [...names].flatMap((name) => [name, ...decoded(name)]).flatMap((name) => meant(file, name));
  const named = places(stringsOf(file, text, NAMED)).filter(isFile);
  const others = places(stringsOf(file, text, STRINGS)).filter((place) => CODE.test(place) && isPlain(place));
  return [...named, ...others];
}

function stringsOf(file: string, text: string, pattern: RegExp): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, , raw = ''] of text.matchAll(pattern)) {
    found.add(unescaped(raw));
    if (pattern === NAMED && found.size > MOST_FILES) throw tooMany(file);
  }
  return found;
}

const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Decodes a string literal the way JavaScript does. Source: ECMA-262, 12.9.4 "String Literals", and B.1.2 for
 * octal numbers.
 */
function unescaped(raw: string): string {
  return raw.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\}|([0-3][0-7]{0,2}|[4-7][0-7]?)|(\r\n|[^]))/giu,
    (_, ...[x, u, point, octal, other = '']: (string | undefined)[]) => {
      const hex = x ?? u ?? point;
      if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
      if (octal !== undefined) return characterOf(Number.parseInt(octal, 8));
      return /^[\r\n\u2028\u2029]/u.test(other) ? '' : (LETTERS[other] ?? other);
    },
  );
}

function characterOf(point: number): string {
  return point > 0x10ffff ? '' : String.fromCodePoint(point); // no string has such an escape
}

/**
 * Returns the paths that a name may refer to: the path itself, or the paths listed for it in package.json.
 */
function meant(file: string, name: string): readonly string[] {
  if (/^(?:\.{1,2}(?:\/|$)|\/|file:)/u.test(name)) return placesOf(path.dirname(file), name);
  return /^(?:node|data|https?):/u.test(name) ? [] : ownFiles(path.dirname(file), name);
}

/**
 * Returns the project files that package.json lists for a name in `imports`, or for the package's own name.
 * Includes the files for every condition, because which condition applies depends on Node's version and
 * flags. Source: https://nodejs.org/docs/latest-v20.x/api/packages.html, "Subpath imports" and
 * "Self-referencing a package".
 */
function ownFiles(from: string, name: string): readonly string[] {
  const folder = folderOfManifest(from);
  if (folder === undefined || folder === packageRoot(import.meta.dirname)) return []; // it runs already
  const { name: own, imports, exports = {} } = manifestIn(folder);
  if (name.startsWith('#')) return targetsOf(imports, name, folder);
  if (typeof own !== 'string' || own === '' || (name !== own && !name.startsWith(`${own}/`))) return [];
  const isTable = Object.keys(membersOf(exports)).some((key) => key.startsWith('.'));
  return targetsOf(isTable ? exports : { '.': exports }, `.${name.slice(own.length)}`, folder);
}

/** Returns the target paths of all matching keys in a package.json table. */
function targetsOf(table: unknown, name: string, folder: string): readonly string[] {
  return Object.entries(membersOf(table)).flatMap(([key, target]) => {
    const [head = '', tail] = key.split('*');
    const fits =
      tail === undefined
        ? key === name
        : name.startsWith(head) && name.endsWith(tail) && name.length >= key.length;
    const part = tail === undefined ? '' : name.slice(head.length, name.length - tail.length);
    return fits
      ? leavesOf(target).flatMap((leaf) =>
          placesOf(
            folder,
            leaf.replaceAll('*', () => part),
          ),
        )
      : [];
  });
}

function leavesOf(target: unknown): readonly string[] {
  if (typeof target === 'string') return target.startsWith('./') ? [target] : [];
  if (Array.isArray(target)) return target.flatMap(leavesOf);
  return isJsonObject(target) ? Object.values(target).flatMap(leavesOf) : [];
}

function placesOf(folder: string, named: string): readonly string[] {
  const place = placeOf(folder, named.replace(/[?#].*$/u, ''));
  if (place === undefined) return [];
  const bare = place.replace(/\.[mc]?jsx?$/u, '');
  const { main } = manifestIn(place);
  return [
    place,
    ...withExtensions(place),
    ...withExtensions(path.join(place, 'index')),
    manifestOf(place), // of a folder, it says which of its files is meant
    ...(typeof main === 'string' ? mainOf(path.resolve(place, main)) : []),
    // TypeScript names what a file will be.
    ...(bare === place ? [] : ['.ts', '.mts', '.cts'].map((extension) => `${bare}${extension}`)),
  ];
}

function withExtensions(place: string): readonly string[] {
  return EXTENSIONS.map((extension) => `${place}${extension}`);
}

/**
 * Returns the files that a folder's `main` may refer to. Source:
 * https://nodejs.org/docs/latest-v20.x/api/modules.html, "All together", LOAD_AS_DIRECTORY.
 */
function mainOf(main: string): readonly string[] {
  return [main, ...withExtensions(main), ...withExtensions(path.join(main, 'index'))];
}

function placeOf(folder: string, named: string): string | undefined {
  if (!named.startsWith('file:')) return path.resolve(folder, named);
  try {
    return fileURLToPath(named);
  } catch {
    return undefined; // no such URL can be imported
  }
}

/** Decodes a name as a URL. Node reads the names in `import` as URLs, but those in `require` literally. */
function decoded(named: string): readonly string[] {
  try {
    return named.includes('%') ? [decodeURIComponent(named)] : [];
  } catch {
    return []; // no such URL can be imported
  }
}

function isPlain(file: string): boolean {
  return isFile(file) && statSync(file).isFile();
}
