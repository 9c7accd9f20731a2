import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { createFileStore } from '../../sessions/index.js';
import type { Actor, Interrupt, SessionEvent } from '../../src/core/index.js';
import { interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { ANN, modelSaid, requestPart, toolSettled, toolStarted, userSaid } from '../helpers/events.js';
import { Home } from '../helpers/program.js';
import { agent } from '../sessions/sample-events.js';

const home = new Home();
const MODE: Actor = { type: 'rule', rule: 'mode accept-edits', from: '--mode' };
const RULE: Actor = { type: 'rule', rule: 'run_command npm test', from: 'config.json' };
const diff = '--- src/a.ts\n+++ src/a.ts\n@@ -1 +1 @@\n-old\n+new\n';

interface Ran {
  readonly ref: string;
  readonly name: string;
  readonly input: Record<string, string>;
  readonly by?: Actor;
  readonly payload?: Interrupt['payload'];
  readonly effect?: 'none' | 'once';
}

let asked = 0;

function ran({ ref, name, input, by, payload = {}, effect = 'once' }: Ran): readonly SessionEvent[] {
  asked += 1;
  const source = { type: 'tool', ref: toolRef(ref), name, input, raisedBy: 'approval' } as const;
  const interrupt = makeInterrupt(
    { kind: 'confirmation', source, payload },
    { id: interruptId(`i${asked}`), path: ROOT_PATH, raisedAt: new Date().toISOString() },
  );
  const { id, digest } = interrupt;
  const at = new Date().toISOString();
  const decided: readonly SessionEvent[] =
    by === undefined
      ? []
      : [
          { type: 'interrupt-raised', interrupt },
          { type: 'interrupt-resolved', id, digest, resolution: { action: 'restart' }, by, resolvedAt: at },
        ];
  const started = { ...toolStarted(name, ref, { input, effect }), startedAt: at } as SessionEvent;
  return [...decided, started, toolSettled(ref, { ok: true })];
}

/** The events of a turn with calls by a mode, a rule, nobody and a person. */
function turn(): readonly SessionEvent[] {
  asked = 0;
  const calls: readonly Ran[] = [
    { ref: 'a', name: 'edit_file', input: { path: 'src/a.ts' }, by: MODE, payload: { facts: { path: '/w/src/a.ts' }, diff } },
    { ref: 'b', name: 'write_file', input: { path: 'src/b.ts', content: 'b' }, by: MODE },
    { ref: 'c', name: 'run_command', input: { command: 'npm test' }, by: RULE },
    { ref: 'd', name: 'run_command', input: { command: 'git status' }, effect: 'none' },
    { ref: 'e', name: 'read_file', input: { path: 'a' }, effect: 'none' },
    { ref: 'f', name: 'transfer', input: { amount: '5' }, by: ANN },
  ]; // prettier-ignore
  const requests = calls.map(({ ref, name, input }) => requestPart(name, ref, input));
  return [
    userSaid('Fix the total'),
    modelSaid(requests),
    ...calls.flatMap(ran),
    modelSaid([{ type: 'text', text: 'Done.' }]),
  ];
}

const ids: string[] = [];
const random = (size: number): Uint8Array => crypto.getRandomValues(new Uint8Array(size));

beforeAll(async () => {
  await home.run(['chat', '-p', 'hello']); // the key
  const store = createFileStore({ ...home.kept, clock: systemClock, random });
  for (const title of ['first', 'second']) {
    await using session = await store.create({ agent, title });
    await session.append(turn());
    ids.push(session.id);
  }
});
beforeEach(() => {
  if (existsSync(marks())) writeFileSync(marks(), '{"version":1,"sessions":{}}', { mode: 0o600 });
});
afterAll(() => {
  home[Symbol.dispose]();
});

const marks = (): string => join(home.path, 'reviewed.json');
const json = (text: string): readonly Record<string, unknown>[] => JSON.parse(text) as never;

describe('hitl review', () => {
  test('lists the calls of all sessions that nobody was asked about, a row each, the newest session first', async () => {
    const { status, stdout, stderr } = await home.run(['review']);
    const rows = stdout.trimEnd().split('\n');
    const cells = rows.slice(1).map((row) => row.split(/ {2,}/u));
    expect([status, rows[0]?.split(/ {2,}/u)]).toEqual([
      0,
      ['SESSION', 'EVENT', 'AGE', 'OUTCOME', 'TOOL', 'BECAUSE', 'CALL'],
    ]);
    const [first, second] = ids;
    expect(cells.map(([session, , , outcome, tool, because]) => [session, outcome, tool, because])).toEqual(
      [second, first].flatMap((session) => [
        [session, 'done', 'edit_file', 'mode accept-edits'],
        [session, 'done', 'write_file', 'mode accept-edits'],
        [session, 'done', 'run_command', 'rule `run_command npm test` (config.json)'],
      ]),
    );
    expect(stderr).toBe('not listed: 2 read-only commands, 2 reads (--json lists all)\n');
  });

  test('gives programs every call with who let it run, what its question had, and how it ended', async () => {
    const { stdout } = await home.run(['review', ids[0] ?? '', '--json']);
    const calls = json(stdout);
    expect(calls.map(({ tool, because, isFolded }) => [tool, because, isFolded])).toEqual([
      ['edit_file', 'mode accept-edits', false],
      ['write_file', 'mode accept-edits', false],
      ['run_command', 'rule `run_command npm test` (config.json)', false],
      ['run_command', 'changes nothing, no network', true],
      ['read_file', 'only reads', true],
    ]);
    const { startedAt, seq, passed, ...first } = calls[0] ?? {};
    expect(first).toEqual({
      ...{ session: ids[0], ref: 'a', attempt: 1, tool: 'edit_file', input: { path: 'src/a.ts' } },
      ...{ effect: 'once', outcome: 'done', output: { ok: true }, askedBy: 'approval' },
      ...{ plan: { facts: { path: '/w/src/a.ts' }, diff }, because: 'mode accept-edits', isFolded: false },
    });
    expect(passed).toEqual({ type: 'decided', by: MODE, seq: Number(seq) - 1 });
    expect(typeof startedAt).toBe('string');
  });

  test('shows with --verbose the plan as its question had it', async () => {
    const { stdout } = await home.run(['review', ids[0] ?? '', '--verbose']);
    expect(stdout).toContain('2 edits in src');
    expect(stdout).toContain('1 − old');
    expect(stdout).toContain('1 + new');
    expect(stdout).toContain('not asked: mode accept-edits');
  });

  test('lists nothing twice that was marked as seen, until something new ran', async () => {
    const marked = await home.run(['review', '--mark-seen']);
    expect([marked.status, marked.stderr.split('\n').at(-2)]).toEqual([
      0,
      'Marked 10 calls in 2 sessions as seen.',
    ]);
    expect(await home.run(['review'])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'Nothing to review.\n',
    });
    expect(json((await home.run(['review', '--all', '--json'])).stdout).map(({ isSeen }) => isSeen)).toEqual(
      Array.from({ length: 10 }, () => true),
    );
    const store = createFileStore({ ...home.kept, clock: systemClock, random });
    {
      await using session = await store.open(ids[0] as never, 'write');
      const more = ran({ ref: 'z', name: 'weather', input: {} });
      await session.append([userSaid('more'), modelSaid([requestPart('weather', 'z')]), ...more]);
    }
    expect(
      json((await home.run(['review', '--json'])).stdout).map(({ session, tool }) => [session, tool]),
    ).toEqual([[ids[0], 'weather']]);
  });

  test('counts a damaged file of marks as nothing seen, and says so', async () => {
    await home.run(['review', '--mark-seen', '--quiet']);
    const kept = readFileSync(marks(), 'utf8');
    writeFileSync(marks(), kept.slice(0, -9));
    const { status, stdout, stderr } = await home.run(['review']);
    expect([status, stdout.split('\n').length > 6, stderr.split('\n')[0]]).toEqual([
      ...[0, true],
      `warning: cannot read ${marks()}, so no calls are marked as seen`,
    ]);
    writeFileSync(marks(), kept);
    chmodSync(marks(), 0o644);
    expect((await home.run(['review'])).stdout).not.toBe('');
    chmodSync(marks(), 0o600);
    expect((await home.run(['review'])).stdout).toBe('');
  });

  test('marks nothing that it has not shown', async () => {
    await home.run(['review', '--limit', '1', '--mark-seen']);
    const left = json((await home.run(['review', '--json'])).stdout);
    expect([...new Set(left.map(({ session }) => session))]).toHaveLength(1);
    expect(await home.run(['review', '--since', '2d', '--mark-seen'])).toMatchObject({
      status: 2,
      stderr:
        'error: `--since` and `--mark-seen` cannot be used together\nhint: older calls would be marked without being shown\n',
    });
  });

  test('says of a damaged session that it reads a part of it', async () => {
    using other = new Home();
    await other.run(['chat', '-p', 'Transfer 20 to ABC123']);
    const journal = join(other.sessions, other.id, 'journal.jsonl');
    const records = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, [...records.slice(0, 3), 'x', ...records.slice(4)].join('\n'));
    const { status, stderr } = await other.run(['review', other.id]);
    expect([status, stderr.split('\n')[0]]).toEqual([0, expect.stringContaining('damaged')]);
  });

  test('leaves out what started before --since', async () => {
    expect((await home.run(['review', '--since', '2d'])).stdout).not.toBe('');
    await setTimeout(5);
    expect((await home.run(['review', '--since', '1ms'])).stdout).toBe('');
  });

  test('is counted by the inbox, once something was marked', async () => {
    rmSync(marks(), { force: true });
    expect((await home.run(['inbox'])).stderr).not.toContain('hitl review');
    await home.run(['review', '--limit', '1', '--mark-seen']);
    expect((await home.run(['inbox'])).stderr).toContain('ran without your approval: hitl review\n');
    await home.run(['review', '--mark-seen']);
    expect((await home.run(['inbox'])).stderr).not.toContain('hitl review');
  });
});
