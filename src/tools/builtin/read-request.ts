import type { ApprovalRequest, Facts } from '../../core/index.js';
import { NOT_BY_PATTERN } from '../../core/index.js';
import type { Place } from '../../files/index.js';
import { isFree } from '../../files/index.js';

/** Makes the question before something is read that is not free to read; nothing for what is. */
export function readRequest(place: Place): ApprovalRequest | undefined {
  if (isFree(place)) return undefined;
  const warnings = [...linkWarnings(place), ...holdingWarnings(place)];
  return {
    reason: reasonOf(place),
    facts: readFacts(place),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Gives the facts of a call that reads; of what often holds keys, that no pattern says so. */
export function readFacts(place: Place): Facts {
  return { path: place.path, ...patternFact(holdingWarnings(place)) };
}

/** Says why a pattern of a rule does not count for a file: only its own name does. */
export function patternFact([why]: readonly string[]): Facts {
  return why === undefined ? {} : { [NOT_BY_PATTERN]: `ignored: ${why}` };
}

/** Warns of where something lies. */
export function placeWarnings({ inside, wide }: Place, outside: string): readonly string[] {
  if (inside) return [];
  return [wide === undefined ? outside : wideWarning(wide)];
}

/** Whether the path that was given is another one than where it leads. */
export function linkWarnings({ linked }: Place): readonly string[] {
  return linked ? ['reached through a symbolic link'] : [];
}

/** Warns of what the person gives away with it. */
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
