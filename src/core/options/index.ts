export type { Option, OptionRows, OptionTable } from './option-table.js';
export { checkOptions, optionProblems, optionsError } from './option-table.js';
export {
  ANYTHING,
  anyOf,
  COUNT,
  DURATION,
  FLAG,
  FUNCTION,
  LIST,
  members,
  NUMBER,
  OBJECT,
  oneOf,
  PART,
  renamed,
  required,
  SCHEMA,
  TEXT,
} from './option.js';
export { DEADLINE_OPTIONS } from './deadline-options.js';
