import path from 'node:path';

import { fitsGlob } from '../core/index.js';

/** Names, and their description. */
export interface NameRule {
  /**
   * Patterns apart by spaces, of single names or of ends of paths: `*.pem`, `.git/config`. With a slash at the end a
   * folder and all that is below it: `.ssh/`.
   */
  readonly names: string;
  readonly says: string;
}

/** A table of names, asked with paths. */
export interface NameTable {
  /** Returns the description of the first matching rule. */
  find(file: string): string | undefined;
  /** Like `find`, considering only the path below a folder. */
  findBelow(folder: string, file: string): string | undefined;
}

interface Pattern {
  readonly parts: readonly string[];
  readonly withAllBelow: boolean;
  readonly says: string;
}

/** Creates a table of rules; names are compared in `foldName` form. */
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

/** Whether a pattern ends at a part of the path from `start` on. */
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
 * A name as the most tolerant file system compares it: ignores case, composition, invisible characters, and
 * dots and spaces at its end.
 */
export function foldName(name: string): string {
  if (/^[!-~]*[!-,/-~]$/.test(name)) return name.toLowerCase();
  const seen = name.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const folded = seen.toUpperCase().toLowerCase().normalize('NFC');
  return folded.replace(/[. ]+$/, '') || folded;
}
