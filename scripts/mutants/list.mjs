// The safety mechanisms, each with what removes it and the tests that must notice.

import { engine } from './rows/engine.mjs';
import { flushing } from './rows/flushing.mjs';
import { human } from './rows/human.mjs';
import { journal } from './rows/journal.mjs';
import { keeping } from './rows/keeping.mjs';
import { outgoing } from './rows/outgoing.mjs';
import { people } from './rows/people.mjs';
import { plans } from './rows/plans.mjs';
import { processes } from './rows/processes.mjs';
import { showing } from './rows/showing.mjs';

export const mutants = [
  ...flushing,
  ...journal,
  ...processes,
  ...engine,
  ...plans,
  ...human,
  ...showing,
  ...people,
  ...outgoing,
  ...keeping,
];
