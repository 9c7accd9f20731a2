// Invariants:
// P1 What is allowed is decided on the real path alone; what is denied or asked about, on the path as it was asked for too.
// P2 A pattern that no real path can fit is refused when it is read.
import type { JsonValue } from '../data/json.js';
import { isJsonObject } from '../data/json.js';
import { fromHome } from '../data/plain-line.js';

/** The folder that relative patterns start from, and the folder that `~` stands for. Both are real paths. */
export interface RulePlace {
  readonly folder: string;
  readonly home: string;
}

/** The files that a rule for paths matches. */
export interface PathPattern {
  /** Absolute, for people. */
  readonly pattern: string;
  readonly parts: readonly PathPart[];
  /** Matches one file. */
  readonly literal: boolean;
  /** Base for relative paths and `~` in an input. */
  readonly place: RulePlace;
}

/** The part of a pattern between two `/` characters. */
interface PathPart {
  readonly text: string;
  /**
   * Whether the part contains wildcards: `*` and `?`, which match any characters except `/`, or `**`, which
   * matches any number of folders. If false, these characters are literal.
   */
  readonly wild: boolean;
}

const WILD = /[*?]/u;

/**
 * Parses `src/**`, `~/notes/*.md` or `/etc/hosts`. Returns the problem as a string if the pattern is invalid.
 * A relative pattern starts in the folder of the rule.
 */
export function readPathPattern(text: string, place: RulePlace | undefined): PathPattern | string {
  const problem = formProblem(text);
  if (problem !== undefined) return problem;
  const isAbsolute = text.startsWith('/');
  if (!isAbsolute && place === undefined) return 'a relative path requires a base folder';
  const known = place ?? { folder: '/', home: '/' };
  const base = isAbsolute ? '' : text.startsWith('~/') ? known.home : known.folder;
  const own = partsOf(text.startsWith('~/') ? text.slice(2) : text);
  const parts = literalParts(base);
  for (const part of own) {
    if (part === '.') continue;
    if (part !== '..') parts.push({ text: part, wild: WILD.test(part) });
    else if (parts.pop() === undefined) return 'the path leads above the file system root';
  }
  return patternOf(parts, known);
}

/** Returns a pattern that matches everything below a folder. */
export function below(folder: string, place: RulePlace): PathPattern {
  return patternOf([...literalParts(folder), { text: '**', wild: true }], place);
}

function patternOf(parts: readonly PathPart[], place: RulePlace): PathPattern {
  const pattern = `/${parts.map(({ text }) => text).join('/')}`;
  return { pattern, parts, literal: parts.every(({ wild }) => !wild), place };
}

/** Whether a path is below a folder. Compares only the text of the paths. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function literalParts(path: string): PathPart[] {
  return partsOf(path).map((text) => ({ text, wild: false }));
}

function formProblem(text: string): string | undefined {
  const parts = text.split('/');
  const wild = parts.findIndex((part) => WILD.test(part));
  if (/\p{Cc}/u.test(text)) return 'a path cannot contain control characters';
  if (/^["']/u.test(text)) return 'write paths without quotes';
  if (/^~[^/]/u.test(text) || text === '~') return '`~` is only supported as `~/…`';
  if (text.length > 1 && text.endsWith('/'))
    return `this is a folder; to match the files in it, write \`${text}**\``;
  if (parts.slice(text.startsWith('/') ? 1 : 0).includes('') && text !== '/')
    return 'a path cannot have empty parts';
  if (parts.some((part) => part.includes('**') && part !== '**'))
    return '`**` must be a whole path part, as in `src/**/test`';
  if (wild >= 0 && parts.slice(wild).some((part) => part === '.' || part === '..'))
    return 'a path cannot have `..` after a `*`';
  if (/\{[^}]*,[^}]*\}/u.test(text)) return '`{a,b}` is not supported: write one rule for each';
  return undefined;
}

/**
 * Whether a path matches a pattern. With `loose`, ignores case, and also matches everything below a matching
 * path.
 */
export function fitsPath(path: string, { parts }: PathPattern, loose: boolean): boolean {
  return loose
    ? fitsParts(folded(path), parts.map(foldedPart), 'and-below')
    : fitsParts(path, parts, 'whole');
}

/** Whether a path below a folder may match a pattern. */
export function mayFitBelow(folder: string, { parts }: PathPattern): boolean {
  return fitsParts(folded(folder), parts.map(foldedPart), 'beginning');
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function foldedPart({ text, wild }: PathPart): PathPart {
  return { text: folded(text), wild };
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

/**
 * Whether a string matches a pattern in which `*` stands for any characters and `?` for one. The time is at
 * most proportional to the product of the two lengths.
 */
export function fitsGlob(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let retry = 0;
  while (at < text.length) {
    const expected = pattern[next];
    if (expected === '*') {
      star = next;
      retry = at;
      next += 1;
    } else if (expected === '?' || (expected !== undefined && expected === text[at])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      // The last star takes one character more.
      retry += 1;
      at = retry;
      next = star + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(next));
}

/**
 * Whether a path matches a pattern. `beginning`: a longer path that starts with this one may match. The time
 * is at most proportional to the product of the two lengths.
 */
function fitsParts(
  path: string,
  pattern: readonly PathPart[],
  how: 'whole' | 'and-below' | 'beginning',
): boolean {
  // Places of the pattern that the path so far may have come to.
  let at = reach(new Set([0]), pattern);
  for (const part of partsOf(path)) {
    if (how === 'and-below' && at.has(pattern.length)) return true;
    const next = new Set<number>();
    for (const place of at) {
      const wanted = pattern[place];
      if (wanted === undefined) continue;
      if (isAnyFolders(wanted)) next.add(place);
      else if (wanted.wild ? fitsGlob(part, wanted.text) : part === wanted.text) next.add(place + 1);
    }
    at = reach(next, pattern);
    if (at.size === 0) return false;
  }
  return how === 'beginning' || at.has(pattern.length);
}

/** Adds the positions in a pattern that are reached if `**` matches zero folders. */
function reach(places: ReadonlySet<number>, pattern: readonly PathPart[]): ReadonlySet<number> {
  const all = new Set(places);
  for (const place of all) if (isAnyFolders(pattern[place])) all.add(place + 1);
  return all;
}

function isAnyFolders(part: PathPart | undefined): boolean {
  return part?.wild === true && part.text === '**';
}

/** Returns the path in an input as requested, without resolving links. */
export function askedPath(input: JsonValue, { folder, home }: RulePlace): string | undefined {
  const given = isJsonObject(input) ? input['path'] : undefined;
  if (typeof given !== 'string') return undefined;
  const path = fromHome(given, home);
  const whole = path.startsWith('/') ? path : `${folder}/${path}`;
  const parts: string[] = [];
  for (const part of partsOf(whole)) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
