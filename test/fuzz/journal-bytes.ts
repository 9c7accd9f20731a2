import fc from 'fast-check';

import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import type { FileSystem } from '../../sessions/disk/file-system.js';
import type { JournalScan } from '../../sessions/journal/scan-journal.js';
import { scanJournal } from '../../sessions/journal/scan-journal.js';
import { encodeBatch, NO_RECORDS } from '../../sessions/journal/session-tip.js';
import type { SessionEvent } from '../../src/core/index.js';

const WRITER = { pid: 1, host: 'here', at: '2026-01-02T03:04:05.000Z', first: [] };

/** The journal of a session with these events. */
export function journalOf(events: readonly SessionEvent[]): Buffer {
  return Buffer.concat(encodeBatch(NO_RECORDS, events, WRITER).lines);
}

export interface ReadJournal extends JournalScan {
  /** Each record as JSON. */
  readonly records: readonly string[];
  /** Bytes that were asked of the disk. */
  readonly bytesRead: number;
}

/** Reads a journal from memory. */
export function readJournal(bytes: Buffer): ReadJournal {
  let bytesRead = 0;
  const fs: FileSystem = {
    ...nodeFileSystem(),
    read: (_fd, into, position) => {
      const count = bytes.copy(into, 0, position, position + into.length);
      bytesRead += count;
      return count;
    },
  };
  const records: string[] = [];
  const scan = scanJournal(fs, 0, (stored) => {
    records.push(JSON.stringify(stored));
  });
  return { ...scan, records, bytesRead };
}

/** What may become of the bytes of a file. `other` is another file of the same kind. */
export type Spoil = (bytes: Buffer, other: Buffer) => Buffer;

const PIECES = [
  ...[
    '\n',
    '\n\n',
    '\r\n',
    '\uFEFF',
    '"',
    '}',
    '{}',
    '{"v":1,"seq":2,"prev":"0","event":{}}\n',
    ',"sum":"00000000"}',
  ],
  ...['99999999999999999999999999', '1e999', '-0', 'null'],
].map((text) => Buffer.from(text));
/** Not UTF-8: a lone continuation, an overlong NUL, a surrogate, a cut sequence. */
const WRONG_UTF8 = [[0x80], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xff]].map((bytes) =>
  Buffer.from(bytes),
);

/** A few changes of a file, one after the other: bits, bytes, holes, lines, splices, lengths. */
export function spoils(): fc.Arbitrary<Spoil> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const size = fc.oneof(fc.nat(8), fc.nat(600), fc.constantFrom(512, 4096, 70_000));
  const one: fc.Arbitrary<Spoil> = fc.oneof(
    fc.tuple(place, fc.nat(7)).map(([at, bit]) => flipped(at, bit)),
    fc.tuple(place, fc.uint8Array({ maxLength: 12 })).map(([at, added]) => inserted(at, Buffer.from(added))),
    fc.tuple(place, fc.constantFrom(...PIECES, ...WRONG_UTF8)).map(([at, added]) => inserted(at, added)),
    fc.tuple(place, size).map(([at, length]) => inserted(at, Buffer.alloc(length))),
    fc.tuple(place, size).map(([at, length]) => zeroed(at, length)),
    fc.tuple(place, size).map(([at, length]) => without(at, length)),
    place.map(
      (end): Spoil =>
        (bytes) =>
          bytes.subarray(0, Math.floor(end * bytes.length)),
    ),
    fc.tuple(place, place).map(([from, to]) => moved(from, to)),
    fc.tuple(place, place).map(([at, from]) => spliced(at, from)),
    size.map(
      (length): Spoil =>
        (bytes) =>
          Buffer.concat([bytes, Buffer.alloc(length)]),
    ),
  );
  return fc.array(one, { minLength: 1, maxLength: 4 }).map(
    (all): Spoil =>
      (bytes, other) =>
        all.reduce((changed, spoil) => spoil(changed, other), bytes),
  );
}

function flipped(at: number, bit: number): Spoil {
  return (bytes) => {
    const changed = Buffer.from(bytes);
    const index = Math.floor(at * (bytes.length - 1));
    if (bytes.length > 0) changed[index] = (changed[index] ?? 0) ^ (1 << bit);
    return changed;
  };
}

function inserted(at: number, added: Buffer): Spoil {
  return (bytes) => {
    const index = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.subarray(0, index), added, bytes.subarray(index)]);
  };
}

function zeroed(at: number, length: number): Spoil {
  return (bytes) => {
    const from = Math.floor(at * bytes.length);
    return Buffer.from(bytes).fill(0, from, Math.min(bytes.length, from + length));
  };
}

function without(at: number, length: number): Spoil {
  return (bytes) => {
    const from = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
  };
}

/** A whole line to another place: doubled there, and left where it was. */
function moved(from: number, to: number): Spoil {
  return (bytes) => {
    const lines = bytes.toString('latin1').split(/(?<=\n)/u);
    const line = lines[Math.floor(from * lines.length)] ?? '';
    return Buffer.from(lines.toSpliced(Math.floor(to * lines.length), 1, line).join(''), 'latin1');
  };
}

/** The beginning of one file and the end of another. */
function spliced(at: number, from: number): Spoil {
  return (bytes, other) =>
    Buffer.concat([
      bytes.subarray(0, Math.floor(at * bytes.length)),
      other.subarray(Math.floor(from * other.length)),
    ]);
}
