import type { SessionId, SessionRewrite } from '../../src/core/index.js';
import { asUnreadable } from '../disk/errno.js';
import { checkFolder, checkRoot } from '../disk/safe-open.js';
import { writeFileAtomically } from '../disk/atomic-write.js';
import { decodeLine, encodeLine } from '../format/codec.js';
import { FORMAT_VERSION } from '../format/format-steps.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { sessionFolder } from '../folder/session-folder.js';
import { JOURNAL_START } from '../journal/scan-journal.js';
import { notFound, openForReading } from '../journal/open-journal.js';
import { readLines } from '../journal/read-lines.js';
import { lockSession, openToWrite, readSession } from './open-session.js';

/**
 * Rewrites a journal from an older format to the current one, and keeps the original file next to it. The
 * records remain unsigned, so they are adopted as not written with our key, and approvals in them must be
 * given again. A journal that contains any records in the current format is not rewritten, because their
 * checksums depend on the other records.
 * @throws HitlError like `openToWrite`
 */
export async function rewriteSession(context: StoreContext, id: SessionId): Promise<SessionRewrite> {
  const folder = sessionFolder(context.root, id);
  try {
    checkRoot(context.fs, context.root);
    if (!checkFolder(context.fs, folder.path, [])) throw notFound(id);
    const rewritten = await inTodaysFormat(context, folder);
    await using session = await openToWrite(context, id);
    await session.append([]);
    return { records: rewritten, ...(rewritten > 0 && { backup: backupOf(folder) }) };
  } catch (error) {
    throw asUnreadable(`session ${id}`, error);
  }
}

function backupOf({ journal }: SessionFolder): string {
  return `${journal}.format-1`;
}

/**
 * Rewrites the file while holding the session's lock. @returns the number of records; 0 if the file is
 * unchanged
 */
async function inTodaysFormat(context: StoreContext, folder: SessionFolder): Promise<number> {
  const { fs, random, steps } = context;
  const lock = lockSession(context, folder);
  try {
    const { health, tip } = readSession(context, folder.id);
    if (health.status !== 'ok') return 0; // opening it says what it is
    const fd = openForReading(fs, folder);
    try {
      const lines = Array.from(readLines(fs, fd, { from: 0, to: tip.length }), ({ bytes }) =>
        Buffer.from(bytes),
      );
      const decoded = lines.map((line) => decodeLine(line, steps));
      const events = decoded.filter((line) => line.type === 'event');
      if (events.some(({ version }) => version === FORMAT_VERSION)) return 0;
      let chain = JOURNAL_START.prev;
      const next = events.map(({ stored }) => {
        const { scope: _scope, ...event } = stored.event;
        const encoded = encodeLine({ ...stored, event }, chain);
        chain = encoded.chain;
        return encoded.line;
      });
      const newline = Buffer.from('\n');
      const before = lines.flatMap((line) => [line, newline]);
      await writeFileAtomically(fs, backupOf(folder), before, random);
      await writeFileAtomically(fs, folder.journal, next, random);
      return next.length;
    } finally {
      fs.close(fd);
    }
  } finally {
    lock.release();
  }
}
