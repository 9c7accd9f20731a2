import { dirname } from 'node:path';
import type { OutputStore, RunState, SessionId, SessionStore } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { absoluteWords } from '../../src/programs/index.js';
import { loadConfig } from '../config/config-file.js';
import type { Io } from '../host/index.js';
import { notify } from './notify.js';
import { userKey } from '../store/store.js';
import { Questions } from '../asking/questions.js';

/**
 * Returns the store of the files that mark answers as handed out. @throws HitlError USAGE if there is none.
 */
export function marksOf({ capabilities: { outputs } }: SessionStore): OutputStore {
  if (outputs === undefined)
    throw new HitlError('USAGE', 'this store cannot save files next to its sessions');
  return outputs;
}

/**
 * Creates the service through which programs ask questions in a store. Runs the user's `notify` command for
 * each new question. @throws HitlError USAGE
 */
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
