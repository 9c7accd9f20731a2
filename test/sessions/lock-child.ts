// A process that takes the lock of a session, for tests of locks.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { createFileStore } from '../../sessions/index.js';
import { isHitlError, isSessionId } from '../../src/core/index.js';

const [, , mode = '', root = '', id = '', rounds = '0'] = process.argv;
const clock = { now: () => Date.now(), sleep: async () => {} };
const store = createFileStore({ root, clock, random: randomBytes });
if (!isSessionId(id)) throw new Error(`no id: ${id}`);

/** In a function of its own: the compiler's form of `using` carries an error over to the next round of a loop. */
async function holdOnce(counts: { held: number; together: number }, marker: string): Promise<void> {
  await using session = await store.open(id as typeof session.id, 'write');
  counts.held += 1;
  try {
    writeFileSync(marker, session.id, { flag: 'wx' });
  } catch {
    counts.together += 1;
  }
  rmSync(marker, { force: true });
}

/** Opens and closes the session many times, and counts how often somebody else was in it at the same time. */
async function race(): Promise<void> {
  const marker = path.join(root, 'marker');
  const counts = { held: 0, refused: 0, together: 0 };
  while (counts.held + counts.refused < Number(rounds)) {
    try {
      await holdOnce(counts, marker);
    } catch (error) {
      if (!isHitlError(error) || error.code !== 'SESSION_LOCKED') throw error;
      counts.refused += 1;
    }
  }
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}

/** Holds the session until it is killed; with `hold-with-child`, a child of it lives on. */
async function hold(): Promise<void> {
  const session = await store.open(id as typeof session.id, 'write');
  const child =
    mode === 'hold-with-child' ? spawn('sleep', ['60'], { stdio: 'ignore', detached: true }) : undefined;
  process.stdout.write(`${JSON.stringify({ held: session.id, child: child?.pid ?? null })}\n`);
  process.stdin.resume(); // stays until it is killed
}

await (mode === 'race' ? race() : hold());
