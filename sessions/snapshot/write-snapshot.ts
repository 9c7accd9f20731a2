import { createHash } from 'node:crypto';

import type { StateJson } from '../../src/core/index.js';
import { stateToJson } from '../../src/core/index.js';
import { OPEN } from '../disk/file-system.js';
import { openSafely } from '../disk/safe-open.js';
import { replaceCache } from '../disk/atomic-write.js';
import { listPieces } from '../format/json-pieces.js';
import { NO_PREVIOUS, sealLine, signLine } from '../format/codec.js';
import { sumOfFile } from '../journal/read-lines.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import type { SessionTip } from '../journal/session-tip.js';
import type { PartPlace, SnapshotHeader, SnapshotPart } from './snapshot-format.js';
import { SNAPSHOT_FORMAT, SNAPSHOT_PARTS, SNAPSHOT_VERSION } from './snapshot-format.js';

/** Number of new records after which another snapshot is written. */
export const SNAPSHOT_EVERY = 256;

/**
 * Writes a snapshot of a journal. The journal must not change in the meantime. Never throws
 * (N2 of `snapshot-format.ts`).
 */
export function writeSnapshot(context: StoreContext, folder: SessionFolder, tip: SessionTip): void {
  try {
    const json = stateToJson(tip.state);
    if (json === undefined) return;
    replaceCache(context.fs, folder.snapshot, snapshotPieces(context, folder, tip, json), context.random);
  } catch {
    // N2 of `snapshot-format.ts`: the next opening reads the whole journal
  }
}

/**
 * Yields the content of a snapshot. Serializes each list twice, because the positions and checksums of the
 * lists are written before the lists.
 */
function* snapshotPieces(
  context: StoreContext,
  folder: SessionFolder,
  tip: SessionTip,
  json: StateJson,
): Generator<Buffer> {
  const parts: Partial<Record<SnapshotPart, PartPlace>> = {};
  let from = 0;
  for (const name of SNAPSHOT_PARTS) {
    if (json[name] === undefined) continue;
    let to = from;
    const sum = createHash('sha256');
    for (const piece of listPieces(json[name])) {
      to += piece.length;
      sum.update(piece);
    }
    parts[name] = { from, to, sum: sum.digest('hex') };
    from = to;
  }
  const { length, seq, prev, createdAt, updatedAt, past } = tip;
  const header: SnapshotHeader = {
    format: SNAPSHOT_FORMAT,
    version: SNAPSHOT_VERSION,
    program: context.program,
    journal: { length, seq, prev, sum: journalSum(context, folder, length) },
    past,
    createdAt,
    updatedAt,
    base: json.base,
    parts,
  };
  yield firstLine(context, folder, header);
  for (const name of SNAPSHOT_PARTS) if (json[name] !== undefined) yield* listPieces(json[name]);
}

function firstLine(context: StoreContext, { id }: SessionFolder, header: SnapshotHeader): Buffer {
  const text = JSON.stringify(header).slice(0, -1);
  const seal = context.owner(id)?.seal;
  if (seal === undefined) return sealLine(text);
  return signLine(text, (body) => seal.mac({ kind: 'snapshot', id, before: NO_PREVIOUS }, body)).line;
}

function journalSum({ fs }: StoreContext, folder: SessionFolder, length: number): string {
  const fd = openSafely(fs, folder.journal, OPEN.read, []);
  try {
    return sumOfFile(fs, fd, length);
  } finally {
    fs.close(fd);
  }
}
