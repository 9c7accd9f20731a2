// Votes through the file store: 25 sessions, since each word is flushed to the disk.
import { temporaryStore } from '../sessions/temporary-store.js';
import { fuzzTarget } from './fuzz.js';
import type { TwoDoors } from './vote-stores.js';
import { votesThrough } from './vote-stores.js';

const RUNS = 25;
let opened: TwoDoors | undefined;

function doors(): TwoDoors {
  if (opened === undefined) {
    const store = temporaryStore();
    opened = { store, another: temporaryStore({ root: store.root }) };
  }
  return opened;
}

fuzzTarget('votes in files', {
  'the journal holds what the law makes of the words': votesThrough(doors, RUNS),
});
