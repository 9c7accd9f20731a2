import type { ApprovalRequest, Facts } from '../../core/index.js';
import { NOT_BY_PATTERN } from '../../core/index.js';
import type { Place } from '../../files/index.js';
import { isFree } from '../../files/index.js';

/** Creates the question asked before a read that needs approval. Returns `undefined` for other reads. */
export function readRequest(place: Place): ApprovalRequest | undefined {
  if (isFree(place)) return undefined;
  const warnings = [...linkWarnings(place), ...holdingWarnings(place)];
  return {
    reason: reasonOf(place),
    facts: readFacts(place),
    ...(warnings.length > 0 && { warnings }),
  };
}

/**
 * Returns the details of a read call. For a file that often contains keys, they note that patterns in rules
 * do not match it.
 */
export function readFacts(place: Place): Facts {
  return { path: place.path, ...patternFact(holdingWarnings(place)) };
}

/**
 * Returns a detail that states why patterns in rules do not match a file. Only the exact name of the file can
 * match it.
 */
export function patternFact([why]: readonly string[]): Facts {
  return why === undefined ? {} : { [NOT_BY_PATTERN]: `ignored: ${why}` };
}

/** Returns a warning if a path is not inside the working directory. */
export function placeWarnings({ inside, wide }: Place, outside: string): readonly string[] {
  if (inside) return [];
  return [wide === undefined ? outside : wideWarning(wide)];
}

/** Returns a warning if a path goes through a link. */
export function linkWarnings({ linked }: Place): readonly string[] {
  return linked ? ['reached through a symbolic link'] : [];
}

/** Returns a warning if a file often contains secrets. */
export function holdingWarnings({ holds }: Place): readonly string[] {
  return holds === undefined ? [] : [`files like this often contain ${holds}`];
}

function reasonOf({ inside, wide }: Place): string {
  if (inside) return 'reads a file that often contains keys';
  return wide === undefined ? 'reads outside the working directory' : wideWarning(wide);
}

function wideWarning(wide: string): string {
  return `the working directory is ${wide}, so no file is treated as inside it`;
}
