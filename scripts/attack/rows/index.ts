// The table: every attack, in the order of its groups.
import type { Attack } from '../attack.js';
import { FOREIGN } from './foreign.js';
import { FOUND } from './found.js';
import { RULES } from './rules.js';
import { SHOWN_IS_RUN } from './shown-is-run.js';

/** All rows. */
export const ROWS: readonly Attack[] = [...SHOWN_IS_RUN, ...FOREIGN, ...FOUND, ...RULES];
