import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { KeptOutput, SessionCopy, SessionId } from '../../src/core/index.js';
import { checkSessionId, HitlError } from '../../src/core/index.js';
import { asSaveFailed, asUnreadable } from '../disk/errno.js';
import { OPEN } from '../disk/file-system.js';
import { openSafely } from '../disk/safe-open.js';
import { syncFolder, writeFileAtomically } from '../disk/atomic-write.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { folderEntries, hasRemains } from '../folder/folder-report.js';
import { isKeptOutput } from '../folder/keep-output.js';
import { sessionFolder } from '../folder/session-folder.js';
import { exists, openForReading } from '../journal/open-journal.js';
import { readLines } from '../journal/read-lines.js';
import { unfit } from '../journal/journal-verdict.js';
import { checkedLines } from '../snapshot/load-journal.js';
import { claimFolder } from './create-session.js';
import { readSession } from './open-session.js';

// Invariants:
// C1 The journal is the last thing that comes: a copy that was cut short is no session, and may be begun again.
// C2 A copy is foreign from its first moment on: the note that it was copied comes before its journal.

/** Returns the bytes of a session's files, for copying. @throws HitlError like `readSession` */
export function giveSession(context: StoreContext, id: SessionId): SessionCopy {
  const { folder, health, tip } = readSession(context, id);
  if (health.status === 'damaged' || health.status === 'newer') throw unfit(id, health, tip.seq);
  try {
    const fd = openForReading(context.fs, folder);
    try {
      const range = { from: 0, to: tip.length };
      const lines = Array.from(readLines(context.fs, fd, range), ({ bytes }) => Buffer.from(bytes));
      return { id, lines, outputs: outputsOf(context, folder) };
    } finally {
      context.fs.close(fd);
    }
  } catch (error) {
    throw asUnreadable(`session ${id}`, error);
  }
}

function outputsOf({ fs }: StoreContext, folder: SessionFolder): readonly KeptOutput[] {
  const names = folderEntries(fs, folder)
    .map(({ name }) => name)
    .filter(isKeptOutput);
  return names.map((name) => {
    const fd = openSafely(fs, path.join(folder.path, name), OPEN.read, []);
    try {
      return { name, bytes: readFileSync(fd) };
    } finally {
      fs.close(fd);
    }
  });
}

/**
 * Stores a session copied from another store in a new folder.
 * @throws HitlError SESSION_EXISTS, SESSION_LOCKED, SESSION_DAMAGED, SESSION_NEWER, SAVE_FAILED
 */
export async function takeSession(context: StoreContext, copy: SessionCopy): Promise<void> {
  const { fs, root } = context;
  const id = checkSessionId(copy.id);
  const { loaded } = checkedLines(id, copy.lines);
  checkOutputs(copy);
  if (isThere(context, sessionFolder(root, id))) throw exists(id);
  const { folder, lock } = await claimFolder(context, id);
  try {
    if (isThere(context, folder)) throw exists(id);
    context.ends?.forget(id);
    await write(context, folder.copied, [Buffer.from(loaded.position.prev)]); // C2
    for (const { name, bytes } of copy.outputs) await write(context, path.join(folder.path, name), [bytes]);
    await write(context, folder.journal, newlined(copy.lines)); // C1
    await syncFolder(fs, root);
  } catch (error) {
    throw asSaveFailed(`session ${id}`, error);
  } finally {
    lock.release();
  }
}

/**
 * Whether a folder contains a session. The folder of an unfinished copy does not: it contains the note that
 * is written first, but no journal.
 */
function isThere({ fs }: StoreContext, folder: SessionFolder): boolean {
  if (fs.lookUp(folder.path) === undefined) return false;
  if ((fs.lookUp(folder.journal)?.size ?? 0) > 0) return true;
  return fs.lookUp(folder.copied) === undefined && hasRemains(fs, folder);
}

/** Rejects invalid output names, because names from another store become file names. */
function checkOutputs({ id, outputs }: SessionCopy): void {
  const odd = outputs.find(({ name }) => !isKeptOutput(name));
  if (odd !== undefined)
    throw new HitlError('SAVE_FAILED', `session ${id} has an output with an invalid name`, {
      hint: 'nothing was copied',
    });
}

async function write(
  { fs, random }: StoreContext,
  file: string,
  pieces: Iterable<Uint8Array>,
): Promise<void> {
  await writeFileAtomically(fs, file, pieces, random);
}

const NEWLINE = Buffer.from('\n');

function* newlined(lines: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const line of lines) yield Buffer.concat([line, NEWLINE]);
}
