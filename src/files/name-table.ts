import path from 'node:path';

import { fitsGlob } from '../core/index.js';

/** File name patterns and their description. */
export interface NameRule {
  /**
   * Patterns separated by spaces. Each one matches a name or the end of a path: `*.pem`, `.git/config`. A
   * pattern with a trailing slash matches a folder and everything below it: `.ssh/`.
   */
  readonly names: string;
  readonly says: string;
}

/** Looks up paths in a table of name patterns. */
export interface NameTable {
  /** Returns the description of the first matching rule. */
  find(file: string): string | undefined;
  /** Like `find`, but considers only the path below a folder. */
  findBelow(folder: string, file: string): string | undefined;
}

interface Pattern {
  readonly parts: readonly string[];
  readonly withAllBelow: boolean;
  readonly says: string;
}

/** Creates a table from rules; names are compared in `foldName` form. */
export function nameTable(rules: readonly NameRule[]): NameTable {
  const patterns = rules.flatMap(({ names, says }) =>
    names.split(' ').map((name): Pattern => {
      const withAllBelow = name.endsWith('/');
      return { parts: foldName(withAllBelow ? name.slice(0, -1) : name).split('/'), withAllBelow, says };
    }),
  );
  const from = (file: string, start: number): string | undefined => {
    const parts = partsOf(file);
    return patterns.find((pattern) => fits(parts, pattern, start))?.says;
  };
  return {
    find: (file) => from(file, 0),
    findBelow: (folder, file) => from(file, partsOf(folder).length),
  };
}

/** Whether a pattern matches at any part of the path from part `start` on. */
function fits(parts: readonly string[], pattern: Pattern, start: number): boolean {
  const last = parts.length - 1;
  for (let end = pattern.withAllBelow ? start : Math.max(start, last); end <= last; end += 1) {
    if (endsAt(parts, pattern.parts, end)) return true;
  }
  return false;
}

function endsAt(parts: readonly string[], pattern: readonly string[], end: number): boolean {
  const first = end - pattern.length + 1;
  return first >= 0 && pattern.every((wanted, index) => fitsGlob(parts[first + index] ?? '', wanted));
}

function partsOf(file: string): readonly string[] {
  return file
    .split(path.sep)
    .filter((part) => part !== '')
    .map(foldName);
}

/**
 * Normalizes a name the way the most lenient file systems compare names: ignores case, Unicode composition,
 * invisible characters, and trailing dots and spaces.
 */
export function foldName(name: string): string {
  if (/^[!-~]*[!-,/-~]$/.test(name)) return name.toLowerCase();
  const seen = name.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const folded = seen.toUpperCase().toLowerCase().normalize('NFC');
  return folded.replace(/[. ]+$/, '') || folded;
}
