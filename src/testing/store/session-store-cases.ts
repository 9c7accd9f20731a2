import { answeringCases } from './answering-cases.js';
import { appendingCases } from './appending-cases.js';
import { besideCases } from './beside-cases.js';
import { creatingCases } from './creating-cases.js';
import { deliveringCases } from './delivering-cases.js';
import { findingCases } from './finding-cases.js';
import { mailingCases } from './mailing-cases.js';
import type { StoreCase } from './store-case.js';
import { waitingCases } from './waiting-cases.js';
import { workingCases } from './working-cases.js';
import { writingCases } from './writing-cases.js';

/**
 * The promises of `SessionStore` on which the program relies, one case each, for whoever writes a store. Each case
 * wants an empty store of its own.
 */
export const sessionStoreCases: readonly StoreCase[] = [
  ...creatingCases,
  ...appendingCases,
  ...writingCases,
  ...findingCases,
  ...waitingCases,
  ...answeringCases,
  ...mailingCases,
  ...besideCases,
  ...workingCases,
  ...deliveringCases,
];
