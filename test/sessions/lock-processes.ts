import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { expect, onTestFinished } from 'vitest';

import type { FileStore } from '../../sessions/index.js';
import type { SessionId } from '../../src/core/index.js';
import { compiled } from '../helpers/compiled.js';
import { agent } from './sample-events.js';
import { storeOfProcesses } from './temporary-store.js';

const root = path.resolve(import.meta.dirname, '../..');
const CHILD = compiled(path.join(import.meta.dirname, 'lock-child.ts'));

export async function newSession(store: FileStore): Promise<SessionId> {
  await using session = await store.create({ agent });
  return session.id;
}

/** Starts a process of `lock-child.ts`; gives it and the first line that it prints. */
export async function startChild(
  ...args: readonly string[]
): Promise<{ readonly child: ChildProcess; readonly line: Record<string, unknown> }> {
  const child = spawn(process.execPath, [CHILD, ...args], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, line: JSON.parse(line) as Record<string, unknown> };
  }
  throw new Error('the child printed nothing');
}

/** Processes that take the lock again and again: never two at a time, and each attempt is told of. */
export async function race(processes: number, rounds: number): Promise<void> {
  const store = storeOfProcesses();
  const id = await newSession(store);
  const starts = Array.from({ length: processes }, () => startChild('race', store.root, id, String(rounds)));
  const racers = await Promise.all(starts);
  const counts = racers.map(({ line }) => line as { held: number; refused: number; together: number });
  expect(counts.map(({ together }) => together)).toEqual(counts.map(() => 0));
  expect(counts.map(({ held, refused }) => held + refused)).toEqual(counts.map(() => rounds));
  expect(counts.reduce((sum, { held }) => sum + held, 0)).toBeGreaterThan(0);
}
