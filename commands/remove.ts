import { HitlError, shown } from '../src/core/index.js';
import { confirmHere } from './screen/confirm-here.js';
import { isAskable, printJson, tell } from './host/index.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { forgetTyped } from './store/session-words.js';
import { openStore } from './store/store.js';

/** Warning for deleting a session that is partly unreadable. */
const TYPED = shown`the session is not fully readable, so messages typed in it may remain in the prompt history`;

interface RemoveFlags extends SessionFlags {
  readonly yes?: boolean;
}

/** `hitl rm`: deletes sessions after asking for confirmation. Deletes nothing if any id is wrong. */
export async function remove(io: Io, prefixes: readonly string[], flags: RemoveFlags): Promise<number> {
  const store = openStore(io, flags);
  const ids = [...new Set(await Promise.all(prefixes.map((prefix) => store.resolve(prefix))))];
  if (flags.yes !== true && !(await isAgreed(io, ids, flags))) {
    tell(io.stderr, shown`Not deleted`);
    return 0;
  }
  for (const id of ids) {
    if (!(await forgetTyped(io, store, id))) tell(io.stderr, shown`note: ${TYPED}`);
    await store.remove(id);
    if (flags.quiet !== true) tell(io.stderr, shown`Deleted ${id}`);
  }
  if (flags.json === true) printJson(io, { deleted: ids }, 'line');
  return 0;
}

async function isAgreed(io: Io, ids: readonly string[], flags: RemoveFlags): Promise<boolean> {
  if (!isAskable(io, flags)) {
    throw new HitlError('USAGE', 'cannot ask for confirmation without a terminal', {
      hint: `hitl rm --yes ${ids.join(' ')}`,
    });
  }
  const message = `Delete ${ids.length === 1 ? `session ${ids[0] ?? ''}` : `${ids.length} sessions`}? This cannot be undone.`;
  return confirmHere(io, flags, { message, yes: 'delete', no: 'keep' });
}
