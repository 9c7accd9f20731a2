import type { ApprovalRequest, Facts } from '../../core/index.js';
import { NOT_BY_PATTERN } from '../../core/index.js';
import type { Place } from '../../files/index.js';
import { isFree } from '../../files/index.js';

/** Creates the question before reading something that needs approval; nothing otherwise. */
export function readRequest(place: Place): ApprovalRequest | undefined {
  if (isFree(place)) return undefined;
  const warnings = [...linkWarnings(place), ...holdingWarnings(place)];
  return {
    reason: reasonOf(place),
    facts: readFacts(place),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Returns the details of a reading call; for a key file, that no pattern matches it. */
export function readFacts(place: Place): Facts {
  return { path: place.path, ...patternFact(holdingWarnings(place)) };
}

/** Explains why a rule's pattern does not match a file: only its exact name does. */
export function patternFact([why]: readonly string[]): Facts {
  return why === undefined ? {} : { [NOT_BY_PATTERN]: `ignored: ${why}` };
}

/** Warns of a path's location. */
export function placeWarnings({ inside, wide }: Place, outside: string): readonly string[] {
  if (inside) return [];
  return [wide === undefined ? outside : wideWarning(wide)];
}

/** Warns if a path leads elsewhere through a link. */
export function linkWarnings({ linked }: Place): readonly string[] {
  return linked ? ['reached through a symbolic link'] : [];
}

/** Warns of what reading it reveals. */
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
