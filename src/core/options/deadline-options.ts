import type { Deadline } from '../deadline/index.js';
import { isJsonObject } from '../json/index.js';
import type { Approvable } from '../people/index.js';
import type { Option, OptionTable } from './option-table.js';
import { DURATION, OBJECT, TEXT } from './option.js';

const OUTCOME: Option = {
  words: "'reject', 'cancel', `{ value }` or `{ escalate }`",
  fits: (value) =>
    value === 'reject' ||
    value === 'cancel' ||
    (isJsonObject(value) && 'value' in value !== isJsonObject(value['escalate'])),
};

/** The time that people have for a question, and who they are; what is in its members is looked at where it is read. */
export const DEADLINE_OPTIONS: OptionTable<Deadline & Approvable> = {
  timeout: DURATION,
  expiresAt: TEXT,
  onTimeout: OUTCOME,
  approvalLasts: DURATION,
  approvers: OBJECT,
};
