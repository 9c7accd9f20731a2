// The table: every attack, in the order of its groups.
import type { Attack } from '../attack.js';
import { BOUNDS } from './bounds.js';
import { COMMANDS } from './commands.js';
import { CONTRACT } from './contract.js';
import { DISPLAY } from './display.js';
import { DOOR_ANSWERS } from './door-answers.js';
import { DOORS } from './doors.js';
import { FILES } from './files.js';
import { FLOWS } from './flows.js';
import { FOREIGN } from './foreign.js';
import { FOUND } from './found.js';
import { GATES } from './gates.js';
import { KEYS } from './keys.js';
import { LETTERS } from './letters.js';
import { LIBRARY } from './library.js';
import { RECOVERY } from './recovery.js';
import { RULES } from './rules.js';
import { SHOWN_IS_RUN } from './shown-is-run.js';
import { WIRE } from './wire.js';

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
  ...GATES,
  ...FLOWS,
  ...LIBRARY,
  ...DISPLAY,
  ...LETTERS,
  ...WIRE,
  ...RECOVERY,
  ...CONTRACT,
  ...DOORS,
  ...DOOR_ANSWERS,
];
