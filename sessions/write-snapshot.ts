import { stateToJson } from '../src/core/index.js';
import { replaceCache } from './atomic-write.js';
import { sealLine, sumOf } from './codec.js';
import { OPEN } from './file-system.js';
import { sumOfFile } from './read-lines.js';
import { openSafely } from './safe-open.js';
import type { SessionFolder } from './session-folder.js';
import type { SessionTip } from './session-tip.js';
import type { PartPlace, SnapshotHeader, SnapshotPart } from './snapshot-format.js';
import { SNAPSHOT_FORMAT, SNAPSHOT_PARTS, SNAPSHOT_VERSION } from './snapshot-format.js';
import type { StoreContext } from './store-options.js';

/** How many records a session grows before its snapshot is made again. */
export const SNAPSHOT_EVERY = 256;

/** Writes the snapshot of a journal that nobody appends to meanwhile. Never throws (N2). */
export function writeSnapshot(context: StoreContext, folder: SessionFolder, tip: SessionTip): void {
  try {
    const bytes = snapshotBytes(context, folder, tip);
    if (bytes !== undefined) replaceCache(context.fs, folder.snapshot, bytes, context.random);
  } catch {
    // N2: the next opening reads the whole journal
  }
}

function snapshotBytes(context: StoreContext, folder: SessionFolder, tip: SessionTip): Buffer | undefined {
  const json = stateToJson(tip.state);
  if (json === undefined) return undefined;
  const lists: Buffer[] = [];
  const parts: Partial<Record<SnapshotPart, PartPlace>> = {};
  let from = 0;
  for (const name of SNAPSHOT_PARTS) {
    if (json[name] === undefined) continue;
    const bytes = Buffer.from(`${JSON.stringify(json[name])}\n`);
    parts[name] = { from, to: from + bytes.length, sum: sumOf(bytes) };
    lists.push(bytes);
    from += bytes.length;
  }
  const { length, seq, prev, createdAt, updatedAt } = tip;
  const header: SnapshotHeader = {
    format: SNAPSHOT_FORMAT,
    version: SNAPSHOT_VERSION,
    program: context.program,
    journal: { length, seq, prev, sum: journalSum(context, folder, length) },
    createdAt,
    updatedAt,
    base: json.base,
    parts,
  };
  return Buffer.concat([sealLine(JSON.stringify(header).slice(0, -1)), ...lists]);
}

function journalSum({ fs }: StoreContext, folder: SessionFolder, length: number): string {
  const fd = openSafely(fs, folder.journal, OPEN.read, []);
  try {
    return sumOfFile(fs, fd, length);
  } finally {
    fs.close(fd);
  }
}
