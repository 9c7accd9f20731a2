import { dirname } from 'node:path';
import type { OutputStore, RunState, SessionId, SessionStore } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { absoluteWords } from '../../src/programs/index.js';
import { loadConfig } from '../config/config-file.js';
import type { Io } from '../host/index.js';
import { notify } from './notify.js';
import { userKey } from '../store/store.js';
import { Questions } from '../asking/questions.js';

/** Where a store marks answers that were handed out. @throws HitlError USAGE if it cannot. */
export function marksOf({ capabilities: { outputs } }: SessionStore): OutputStore {
  if (outputs === undefined)
    throw new HitlError('USAGE', 'this store cannot keep files next to its sessions');
  return outputs;
}

/** Returns the questions of programs in a store; the user's `notify` is told of new ones. @throws HitlError USAGE */
export function questionsHere(io: Io, store: SessionStore): Questions {
  const beside = marksOf(store);
  const { path: file, config } = loadConfig(io);
  const command = absoluteWords(config.notify ?? [], dirname(file));
  const filed = (id: SessionId, state: RunState): void => {
    if (command.length === 0) return;
    void notify(io, { command, session: { id, state }, known: new Set() });
  };
  return new Questions({ store, secret: userKey(io), clock: io.clock, beside, filed });
}
