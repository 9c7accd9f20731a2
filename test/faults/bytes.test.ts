// The journal of a session of the built program, spoiled everywhere: each 37th byte of it, or with STEP=1 each.
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import type { FileSystem } from '../../sessions/disk/file-system.js';
import { scanJournal } from '../../sessions/journal/scan-journal.js';
import type { Random } from '../helpers/random.js';
import { seededRandom } from '../helpers/random.js';
import { KillWorld, ProgramCopy } from './kill-world.js';
import { live, nextArgs } from './life.js';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

interface ByteOptions {
  readonly seed: number;
  /** The folder of the built program. */
  readonly dist: string;
  /** 1 tries every byte, 3 every third one. */
  readonly step: number;
}

interface ByteReport {
  /** Journals that were read, each spoiled in one way. */
  tried: number;
  readonly violations: string[];
}

/** What reading a spoiled journal must find: the whole of it, a torn end, or damage. */
type Verdict = 'ok' | 'torn' | 'damaged';

interface Spoiled {
  readonly what: string;
  readonly bytes: Buffer;
  readonly allowed: readonly Verdict[];
}

/** Spoils the journal of a session of the built program in every place, and reads it. */
async function spoilJournal({ seed, dist, step }: ByteOptions): Promise<ByteReport> {
  const journal = await journalOfSession(dist);
  const truth = read(journal).lines;
  const report: ByteReport = { tried: 0, violations: [] };
  for (const { what, bytes, allowed } of spoils(journal, step, seededRandom(seed))) {
    report.tried += 1;
    const { status, lines } = read(bytes);
    const isPrefix = lines.every((line, index) => line === truth[index]);
    if (!isPrefix) report.violations.push(`${what}: records that were never written`);
    if (!allowed.some((verdict) => verdict === status)) report.violations.push(`${what}: found ${status}`);
  }
  return report;
}

async function journalOfSession(dist: string): Promise<Buffer> {
  using program = new ProgramCopy(dist);
  using world = new KillWorld(program.path);
  const { status, stderr } = await live(world, {
    args: await nextArgs(world),
    ledger: { printed: new Map(), posted: new Set() },
  });
  const id = await world.id();
  if (status !== 0 || id === undefined) throw new Error(`the session ended with ${status}: ${stderr}`);
  return await world.journal(id);
}

function* spoils(journal: Buffer, step: number, random: Random): Generator<Spoiled> {
  const ends = lineEnds(journal);
  for (let at = random(step); at < journal.length; at += step) {
    // Bytes without a record before them may be what is left of a session: they are kept as damage.
    const isPartOfFirst = at > 0 && at < (ends[0] ?? 0) - 1;
    const allowed: readonly Verdict[] = isPartOfFirst ? ['damaged'] : ['ok', 'torn'];
    yield { what: `cut at ${at}`, bytes: journal.subarray(0, at), allowed };
    const flipped = Buffer.from(journal);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random(8));
    // Behind the last record only its newline is missing, or what stands in its place is torn.
    yield {
      what: `flip at ${at}`,
      bytes: flipped,
      allowed: at < (ends.at(-2) ?? 0) ? ['damaged'] : ['torn'],
    };
  }
  for (const length of [1, 2, 511, 512, 4096, 70_000]) {
    const tail = Buffer.concat([journal, Buffer.alloc(length)]);
    yield { what: `${length} zeros at the end`, bytes: tail, allowed: ['torn'] };
    for (const end of ends.slice(0, -1)) {
      const hole = Buffer.from(journal).fill(0, end, Math.min(end + length, end + 512, journal.length));
      yield { what: `${length} zeros at ${end}`, bytes: hole, allowed: ['damaged', 'torn'] };
    }
  }
  yield* spoiledLines(journal, ends);
}

function* spoiledLines(journal: Buffer, ends: readonly number[]): Generator<Spoiled> {
  const lines = ends.map((end, index) => journal.subarray(ends[index - 1] ?? 0, end));
  const foreign = Buffer.from('{"v":1,"seq":2,"prev":"0","event":{}}\n');
  const whole = (list: readonly Buffer[], what: string): Spoiled => ({
    what,
    bytes: Buffer.concat(list),
    allowed: ['damaged'],
  });
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    const before = lines.slice(0, index);
    const after = lines.slice(index + 1);
    yield {
      ...whole([...before, ...after], `without line ${index + 1}`),
      allowed: isLast ? ['ok'] : ['damaged'],
    };
    yield whole([...before, line, line, ...after], `line ${index + 1} twice`);
    if (!isLast) {
      const [next = line, ...rest] = after;
      yield whole([...before, next, line, ...rest], `lines ${index + 1} and ${index + 2} swapped`);
      yield whole([...before, line, foreign, ...after], `a foreign line behind ${index + 1}`);
    }
  }
}

function lineEnds(journal: Buffer): readonly number[] {
  const ends: number[] = [];
  for (let at = journal.indexOf(10); at !== -1; at = journal.indexOf(10, at + 1)) ends.push(at + 1);
  return ends;
}

/** Reads a journal from memory. */
function read(bytes: Buffer): { readonly status: string; readonly lines: readonly string[] } {
  const fs: FileSystem = {
    ...nodeFileSystem(),
    read: (_fd, into, position) => bytes.copy(into, 0, position, position + into.length),
  };
  const lines: string[] = [];
  const { health } = scanJournal(fs, 0, (stored) => {
    lines.push(JSON.stringify(stored));
  });
  return { status: health.status, lines };
}

test.skipIf(process.platform === 'win32')(
  'a journal of the built program that was spoiled anywhere gives no record that was not written (F6 to F9: G3, G4)',
  async () => {
    const step = Number(process.env['STEP'] ?? 37);
    const { tried, violations } = await spoilJournal({ seed: 3, dist, step });
    process.stdout.write(`bytes: ${tried} journals\n`);
    expect(violations).toEqual([]);
    expect(tried).toBeGreaterThan(1000);
  },
);
