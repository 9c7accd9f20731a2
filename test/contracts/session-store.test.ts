import { randomBytes } from 'node:crypto';

import { createMemoryStore } from '../../sessions/index.js';
import { temporaryStore, tickingClock } from '../sessions/temporary-store.js';
import { sessionStoreContract } from './session-store.contract.js';

sessionStoreContract('the file store', () => temporaryStore());
sessionStoreContract('the memory store', () =>
  createMemoryStore({ clock: tickingClock(), random: randomBytes }),
);
