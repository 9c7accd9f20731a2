import path from 'node:path';

import type { SessionId, StoreFinding } from '../../src/core/index.js';
import { errnoOf, isHitlError, messageOf } from '../../src/core/index.js';
import { checkRoot, isLoose } from '../disk/index.js';
import { journalOf } from '../folder/index.js';
import type { StoreContext } from '../folder/index.js';
import { openToWrite } from '../opening/index.js';
import { listSessions } from './list-sessions.js';
import { namesInStore } from './session-ids.js';
import { tidyStore } from './tidy-store.js';

/** How a store is as a whole. What processes that died left behind is removed, and named. Never throws. */
export async function surveyStore(context: StoreContext): Promise<readonly StoreFinding[]> {
  const folder = folderFinding(context);
  if (folder.status === 'failed') return [folder];
  const sessions = sessionsFinding(context);
  if (sessions.status === 'failed') return [folder, sessions];
  const removed = [...tidyStore(context), ...(await removeUnborn(context))];
  return [folder, sessions, ...(removed.length === 0 ? [] : [leftovers(removed)])];
}

function leftovers(removed: readonly string[]): StoreFinding {
  const found = `removed what was left half made or half removed: ${removed.join(', ')}`;
  return { what: 'leftovers', status: 'ok', found };
}

/** The folder of all sessions: mine, and nobody else's. */
function folderFinding({ fs, root }: StoreContext): StoreFinding {
  try {
    const facts = fs.lookUp(`${root}${path.sep}.`); // of the folder, where the name is a link to it
    if (facts === undefined)
      return { what: 'sessions', status: 'ok', found: `${root} (made with the first session)` };
    checkRoot(fs, root);
    const hint = `others can read it: chmod 700 ${root}`;
    if (isLoose(facts.mode)) return { what: 'sessions', status: 'warning', found: root, hint };
    return { what: 'sessions', status: 'ok', found: root };
  } catch (error) {
    const hint = isHitlError(error) ? error.hint : undefined;
    return {
      what: 'sessions',
      status: 'failed',
      found: messageOf(error),
      hint: hint ?? 'make the folder yours to read and write',
    };
  }
}

function sessionsFinding(context: StoreContext): StoreFinding {
  try {
    const all = listSessions(context);
    const count = `${all.length} ${all.length === 1 ? 'session' : 'sessions'}`;
    const unreadable = all.filter(({ status }) => status === 'unreadable');
    const [first] = unreadable;
    if (first === undefined) return { what: 'store', status: 'ok', found: count };
    const found = `${count}, ${unreadable.length} unreadable`;
    return { what: 'store', status: 'warning', found, hint: `hitl doctor ${first.id}` };
  } catch (error) {
    return { what: 'store', status: 'failed', found: messageOf(error) };
  }
}

/** Removes folders of sessions whose making was cut short; opening one for writing does it, under its lock (P0). */
async function removeUnborn(context: StoreContext): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const id of namesInStore(context)) {
    if (!isEmpty(context, id)) continue;
    await openAndClose(context, id);
    if (!isThere(context, id)) removed.push(id);
  }
  return removed;
}

/** Opening what was never confirmed removes it (P0). */
async function openAndClose(context: StoreContext, id: SessionId): Promise<void> {
  try {
    const session = await openToWrite(context, id);
    await session[Symbol.asyncDispose](); // somebody made it meanwhile
  } catch {
    // it is gone, or in use, or not for us to touch
  }
}

function isEmpty({ fs, root }: StoreContext, id: SessionId): boolean {
  try {
    return (fs.lookUp(journalOf(root, id))?.size ?? 0) === 0;
  } catch {
    return false;
  }
}

function isThere({ fs, root }: StoreContext, id: SessionId): boolean {
  try {
    return fs.entries(root).includes(id);
  } catch (error) {
    return errnoOf(error) !== 'ENOENT';
  }
}
