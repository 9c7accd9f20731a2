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
 * The guarantees of a `SessionStore` that hitl relies on, as one test case each, for authors of stores. Each
 * case needs an empty store.
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
