// The table: every attack, in the order of its groups.
import type { Attack } from '../attack.js';
import { BOUNDS } from './bounds.js';
import { COMMANDS } from './commands.js';
import { CONTRACT } from './contract.js';
import { FILES } from './files.js';
import { FOREIGN } from './foreign.js';
import { FOUND } from './found.js';
import { KEYS } from './keys.js';
import { RECOVERY } from './recovery.js';
import { RULES } from './rules.js';
import { SHOWN_IS_RUN } from './shown-is-run.js';

/** All rows. */
export const ROWS: readonly Attack[] = [
  ...SHOWN_IS_RUN,
  ...FOREIGN,
  ...FOUND,
  ...RULES,
  ...KEYS,
  ...FILES,
  ...COMMANDS,
  ...BOUNDS,
  ...RECOVERY,
  ...CONTRACT,
];
