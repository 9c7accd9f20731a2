import { shown } from '../../../src/core/index.js';
import { forkSession } from '../../../src/repl/index.js';
import type { SlashHandler } from '../context.js';

/** `/fork`: a new session with the same past; this one goes on. */
export const fork: SlashHandler = async (_argument, { session, store }, print) => {
  if (!store.capabilities.durable) {
    print(shown`nothing of this session is kept: there is nothing to fork`);
    return;
  }
  const { id } = await forkSession(store, session.id);
  print(shown`forked: hitl resume ${id}`);
};
