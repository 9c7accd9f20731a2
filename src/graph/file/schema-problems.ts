import type * as z from 'zod';

import type { FilePath, PlacedProblem } from './file-problem.js';
import type { Places } from './places.js';

/** Lists a schema's problems with their locations in the file. */
export function schemaProblems(
  issues: readonly z.core.$ZodIssue[],
  places: Places,
  above: FilePath = [],
): readonly PlacedProblem[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...pathOf(issue)];
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      return issue.keys.map((key, index) =>
        places.placeKey([...path, key], messages[index] ?? issue.message),
      );
    }
    if (issue.code === 'invalid_key') {
      return [places.placeKey(path, issue.issues[0]?.message ?? issue.message)];
    }
    const meant = issue.code === 'invalid_union' ? bestBranch(issue.errors) : undefined;
    return meant === undefined ? [places.place(path, wordsOf(issue))] : schemaProblems(meant, places, path);
  });
}

function pathOf({ path }: z.core.$ZodIssue): FilePath {
  return path.map((key) => (typeof key === 'symbol' ? String(key) : key));
}

/**
 * Returns the problems of the union branch that a value was probably meant for. This is the first branch
 * whose type matches the value.
 */
function bestBranch(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  return branches.find((issues) => issues.length > 0 && issues.every((issue) => !isAnotherType(issue)));
}

function isAnotherType(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

const MISSING = 'it is missing';

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const wanted = issue.errors.flat().map((one) => wordsOf(one).replace(/^expected /u, ''));
    return wanted.includes(MISSING) ? MISSING : `expected ${[...new Set(wanted)].join(', or ')}`;
  }
  const words = issue.message.replace(/^Invalid (?:input|option): /u, '').replaceAll('"', '`');
  if (words.endsWith(', received undefined')) return MISSING;
  return words.charAt(0).toLowerCase() + words.slice(1);
}
