import path from 'node:path';

import type { StoreFinding } from '../../src/core/index.js';
import { count, isHitlError, messageOf } from '../../src/core/index.js';
import { checkRoot, isLoose } from '../disk/safe-open.js';
import type { StoreContext } from '../folder/store-options.js';
import { listSessions } from './list-sessions.js';
import { namesInStore } from './session-ids.js';
import { tidyStore } from './tidy-store.js';

/** Examines a whole store. Removes files left by crashed processes, and lists them. Never throws. */
export function surveyStore(context: StoreContext): readonly StoreFinding[] {
  const folder = folderFinding(context);
  if (folder.status === 'failed') return [folder];
  const removed = tidied(context); // before the list does it without a word
  const sessions = sessionsFinding(context);
  return [folder, sessions, ...(removed.length === 0 ? [] : [leftovers(removed)])];
}

function leftovers(removed: readonly string[]): StoreFinding {
  const found = `removed partly created or partly deleted entries: ${removed.join(', ')}`;
  return { what: 'leftovers', status: 'ok', found };
}

/** Checks that no other user can access the sessions folder. */
function folderFinding({ fs, root }: StoreContext): StoreFinding {
  try {
    const facts = fs.lookUp(`${root}${path.sep}.`); // of the folder, where the name is a link to it
    if (facts === undefined)
      return { what: 'sessions', status: 'ok', found: `${root} (created with the first session)` };
    checkRoot(fs, root);
    const hint = `readable by other users: chmod 700 ${root}`;
    if (isLoose(facts.mode)) return { what: 'sessions', status: 'warning', found: root, hint };
    return { what: 'sessions', status: 'ok', found: root };
  } catch (error) {
    const hint = isHitlError(error) ? error.hint : undefined;
    return {
      what: 'sessions',
      status: 'failed',
      found: messageOf(error),
      hint: hint ?? 'make the folder readable and writable by you',
    };
  }
}

function sessionsFinding(context: StoreContext): StoreFinding {
  try {
    const all = listSessions(context);
    const sessions = count(all.length, 'session');
    const unreadable = all.filter(({ status }) => status === 'unreadable');
    const [first] = unreadable;
    if (first === undefined) return { what: 'store', status: 'ok', found: sessions };
    const found = `${sessions}, ${unreadable.length} unreadable`;
    return { what: 'store', status: 'warning', found, hint: `hitl doctor ${first.id}` };
  } catch (error) {
    return { what: 'store', status: 'failed', found: messageOf(error) };
  }
}

function tidied(context: StoreContext): readonly string[] {
  try {
    return tidyStore(context, namesInStore(context));
  } catch {
    return []; // the next look says why
  }
}
