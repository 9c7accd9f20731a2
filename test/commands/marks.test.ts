import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { lookedAt, marking } from '../../commands/trust/unseen.js';

let home = '';
let io = { cwd: '', env: {}, home: '' };
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'hitl-marks-')));
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  io = { cwd, env: { HITL_HOME: join(home, 'state') }, home };
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

/** What trust would be given to now, of a program that loads files of the folder unseen. */
function mark(folder = io.cwd): string | undefined {
  return lookedAt(io, 'the server', { files: [], unseen: { folder, why: 'it is a script' } }).unseen?.mark;
}

const marksFolder = (): string => join(home, 'state', 'marks');

test('a folder has one mark until a tool runs there, and another one afterwards (U1)', async () => {
  const before = mark();
  expect(mark()).toBe(before);
  await marking(io, true, async () => undefined);
  const after = mark();
  expect([after === before, mark() === after, readdirSync(marksFolder()).length]).toEqual([false, true, 1]);
});

test.for([[true], [false]])(
  'what is trusted while a tool runs there is asked about again, needed or not: %j (U1)',
  async ([isNeeded]) => {
    const during: (string | undefined)[] = [];
    const sub = join(io.cwd, 'sub');
    mkdirSync(sub);
    await marking(io, isNeeded === true, async () => {
      during.push(mark(), mark(), mark(sub), mark(home));
    });
    const after = mark();
    expect(new Set([...during, after]).size).toBe(5);
    expect(mark()).toBe(after);
  },
);

test('a tool that died is a mark like any other, until the next one runs there (U1)', async () => {
  const before = mark();
  mkdirSync(marksFolder(), { recursive: true });
  const owner = { pid: process.pid, host: 'here', since: '2026-01-01T00:00:00.000Z', boot: 'of yesterday' };
  const text = JSON.stringify({ folder: io.cwd, owner });
  await marking(io, true, async () => {
    const [running = ''] = readdirSync(marksFolder()).filter((name) => name.endsWith('.running'));
    writeFileSync(join(marksFolder(), running.replace(/[0-9a-f-]{36}/u, 'dead')), text);
  });
  const dead = mark();
  expect([dead === before, mark() === dead]).toEqual([false, true]);
  await marking(io, false, async () => undefined);
  expect([mark() === dead, readdirSync(marksFolder()).filter((name) => name.endsWith('.running'))]).toEqual([
    false,
    [],
  ]);
});

test('a tool on which trust depends does not run where its mark cannot be left; others do (U2)', async () => {
  writeFileSync(join(home, 'state'), ''); // no folder can be made there
  const ran: string[] = [];
  await marking(io, false, async () => ran.push('alone'));
  await expect(marking(io, true, async () => ran.push('needed'))).rejects.toMatchObject({
    code: 'TOOL_FAILED',
  });
  expect(ran).toEqual(['alone']);
});

test('marks that cannot be read are no mark that anybody trusted (U2)', () => {
  mkdirSync(marksFolder(), { recursive: true });
  mkdirSync(join(marksFolder(), 'x.json'));
  chmodSync(marksFolder(), 0o700);
  expect(mark()).not.toBe(mark());
});
