import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeName, digestOf, HitlError, sha256 } from '../core/index.js';
import { foundBytes } from './found-file.js';

/** A file as it was when it was looked at. */
export interface FileContent {
  /** Absolute; of a server, the words that name it and the folder. */
  readonly path: string;
  /** Of its bytes, as 64 hex digits. */
  readonly sha256: string;
}

/** Whoever looks at more files than these does not look. */
const MOST_FILES = 500;

/** A relative path, or a URL of a file, where a module names another one: `from`, `import`, `import(…)`, `require(…)`. */
const NAMED =
  /\b(?:from|import|require)(?:\s*\()?(?:\s*\/\*[^*\n]{0,200}\*\/)?\s*(["'`])((?:\.{1,2}(?:\/[^"'`\n]*)?|\/[^"'`\n]+|file:[^"'`\n]+))\1/gu;

const EXTENSIONS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json'];

/**
 * A module with everything that it imports by path, and what that imports, each with a fingerprint of its content; none
 * where there is no such file. More is taken for an import than is one, such as what stands in a comment: what is trusted
 * too much asks again, and what is left out would run. Packages, and names that are made at run time, are not followed.
 * @throws HitlError BAD_CONFIG where one of them is no file, is too large, or cannot be read, and for too many.
 */
export function moduleClosure(module: string): readonly FileContent[] {
  const found = new Map<string, FileContent>();
  const waiting = [module];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const bytes = foundBytes(file);
    if (bytes === undefined) continue; // whoever loads it says so
    if (found.size === MOST_FILES) throw tooMany(module);
    found.set(file, { path: file, sha256: sha256(bytes) });
    if (path.extname(file) !== '.json') waiting.push(...importsOf(file, bytes.toString('utf8')));
  }
  return [...found.values()];
}

/** A file with a fingerprint of its content; of one that nobody would read whole, of its size, its time and its number. */
export function contentOf(file: string): FileContent {
  return { path: file, sha256: fingerprintOf(file) };
}

/** The files that are not, or no more, as they were looked at. */
export function changedFiles(files: readonly FileContent[]): readonly string[] {
  return files.filter((file) => fingerprintOf(file.path) !== file.sha256).map((file) => file.path);
}

function fingerprintOf(file: string): string {
  try {
    const bytes = foundBytes(file);
    return bytes === undefined ? '' : sha256(bytes);
  } catch {
    const facts = statSync(file, { throwIfNoEntry: false, bigint: true });
    return facts === undefined ? '' : sha256(`${facts.size} ${facts.mtimeNs} ${facts.ino}`);
  }
}

/**
 * Names the code of a module: its content with that of everything that it imports by path, wherever the folder lies. Of a
 * module that imports more files than can be looked at, it is the module alone.
 * @throws HitlError BAD_CONFIG where it is no file, is too large, or cannot be read.
 */
export function moduleCode(module: string): string {
  const folder = path.dirname(module);
  const files = closureOrItself(module).map((file) => [path.relative(folder, file.path), file.sha256]);
  return codeName('module', digestOf(files.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))));
}

function closureOrItself(module: string): readonly FileContent[] {
  try {
    return moduleClosure(module);
  } catch {
    const bytes = foundBytes(module); // throws where the module itself is why
    return bytes === undefined ? [] : [{ path: module, sha256: sha256(bytes) }];
  }
}

function tooMany(module: string): HitlError {
  return new HitlError('BAD_CONFIG', `\`${module}\` imports more than ${MOST_FILES} files`, {
    hint: 'make a package of them',
  });
}

/** The files that a module may mean; each that is there counts. */
function importsOf(file: string, text: string): readonly string[] {
  const named = new Set<string>();
  for (const [, , name = ''] of text.matchAll(NAMED)) {
    named.add(name);
    if (named.size > MOST_FILES) throw tooMany(file);
  }
  return [...named]
    .flatMap((name) => [name, ...decoded(name)])
    .flatMap((name) => placesOf(path.dirname(file), name))
    .filter(isFile);
}

function placesOf(folder: string, named: string): readonly string[] {
  const place = placeOf(folder, named.replace(/[?#].*$/u, ''));
  if (place === undefined) return [];
  const bare = place.replace(/\.[mc]?jsx?$/u, '');
  return [
    place,
    ...EXTENSIONS.flatMap((extension) => [`${place}${extension}`, path.join(place, `index${extension}`)]),
    // TypeScript names what a file will be.
    ...(bare === place ? [] : ['.ts', '.mts', '.cts'].map((extension) => `${bare}${extension}`)),
  ];
}

function placeOf(folder: string, named: string): string | undefined {
  if (!named.startsWith('file:')) return path.resolve(folder, named);
  try {
    return fileURLToPath(named);
  } catch {
    return undefined; // no such URL can be imported
  }
}

/** Node reads an import as a URL; `require` does not. */
function decoded(named: string): readonly string[] {
  try {
    return named.includes('%') ? [decodeURIComponent(named)] : [];
  } catch {
    return []; // no such URL can be imported
  }
}

/** Folders are looked into by their index; anything else that is there is for the reader to judge. */
function isFile(file: string): boolean {
  try {
    return !statSync(file).isDirectory();
  } catch {
    return false; // nothing is there, or no path says so
  }
}
