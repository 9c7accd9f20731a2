import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test, vi } from 'vitest';

import { createFileStore } from '../../sessions/index.js';
import { systemClock } from '../../src/library/index.js';
import { Home, lines } from '../helpers/program.js';
import { Running } from '../helpers/running.js';

const PUBLISH = fileURLToPath(new URL('../../examples/publish', import.meta.url));

const FLOW = `import { graph } from 'hitl';
export default graph('notes')
  .agent('draft', { prompt: () => 'Write.' })
  .fn('legal', (_state, { guidance }) => ({ output: guidance.join() || 'checked' }), { effect: 'none' })
  .fn('publish', (state) => ({ output: 'published, legal: ' + (state.legal ?? 'skipped') }), { effect: 'none' })
  .edge('draft', 'legal')
  .edge('legal', 'publish')
  .end('publish')
  .build();
`;

/** A workflow whose agent thinks for a while, and a model that reads \`skip\` in whatever is sent. */
function slowFlow(home: Home, delayMs: number): readonly string[] {
  const write = (name: string, text: string): string => {
    writeFileSync(join(home.path, name), text);
    return join(home.path, name);
  };
  const model = write('model.jsonl', `${JSON.stringify({ text: 'A draft.', delayMs })}\n`);
  const reader = { name: 'skip', input: { reason: 'it says to skip it', confidence: 0.95 } };
  const reasoner = write('reasoner.jsonl', `${JSON.stringify({ tools: [reader] })}\n`);
  return ['run', write('flow.ts', FLOW), '--model', `script:${model}`, '--reasoner', `script:${reasoner}`];
}

describe('another terminal', () => {
  test('cancels a run whose model says nothing, at once; it can be resumed', async () => {
    using home = new Home();
    await using run = new Running(home, slowFlow(home, 600_000));
    await run.until('▸ draft');
    // A message that comes before the call of the model ends the run at a safe point, in another order.
    await vi.waitFor(() => {
      expect(home.events().map(({ type }) => type)).toContain('model-started');
    });
    const sent = await home.run(['cancel', home.id, 'wrong', 'topic']);
    const { status, stderr } = await run.ended;
    expect({ sent: sent.status, status }).toEqual({ sent: 0, status: 9 });
    expect(stderr).toContain(`hint: hitl resume ${home.id}`);
    expect(home.events().at(-1)).toMatchObject({ type: 'inbox-settled', outcome: { type: 'applied' } });
  });

  test('cancels a chat whose model says nothing', async () => {
    using home = new Home();
    const model = join(home.path, 'model.jsonl');
    writeFileSync(model, `${JSON.stringify({ text: 'late', delayMs: 600_000 })}\n`);
    await using run = new Running(home, ['chat', '-p', 'hello', '--model', `script:${model}`]);
    await waitForEvent(home, 'model-started');
    expect((await home.run(['cancel', home.id])).status).toBe(0);
    expect((await run.ended).status).toBe(9);
  });

  test('pauses a run durably at its next safe point', async () => {
    using home = new Home();
    await using run = new Running(home, slowFlow(home, 1_500));
    await run.until('▸ draft');
    await home.run(['pause', home.id, 'lunch']);
    run.end();
    expect((await run.ended).status).toBe(3);
    expect(JSON.parse((await home.run(['inbox', '--json'])).stdout)).toMatchObject([
      { kind: 'pause', payload: { reason: 'lunch' } },
    ]);
    const after = await home.run(['resume', home.id], { input: lines('y') });
    expect(after).toMatchObject({ status: 0, stdout: 'published, legal: checked\n' });
  });

  test('sends words that a model reads: shown, confirmed, logged with who and why', async () => {
    using home = new Home();
    await using run = new Running(home, slowFlow(home, 1_500));
    await run.until('▸ draft');
    const sent = await home.run(['send', home.id, 'skip the legal check']);
    expect(sent.status).toBe(0);
    run.end();
    const { status, stderr } = await run.ended;
    expect({ status, shown: stderr.includes('it says to skip it') }).toEqual({ status: 3, shown: true });
    expect(JSON.parse((await home.run(['inbox', '--json'])).stdout)).toMatchObject([
      {
        kind: 'gate',
        payload: { message: 'skip the legal check', why: 'it says to skip it', proposed: { action: 'skip' } },
      },
    ]);
    const after = await home.run(['resume', home.id], { input: lines('y') });
    expect(after).toMatchObject({ status: 0, stdout: 'published, legal: skipped\n' });
  });

  test('sends to a stopped session: delivered when it is resumed', async () => {
    using home = new Home();
    const args = [...slowFlow(home, 0), '--no-reasoner', '--before', 'draft'];
    expect((await home.run(args)).status).toBe(3);
    const sent = await home.run(['send', home.id, 'be brief', '--target', 'legal']);
    expect(sent.stderr).toContain('delivered on resume');
    const after = await home.run(['resume', home.id, '--no-reasoner'], { input: lines('y') });
    expect(after).toMatchObject({ status: 0, stdout: 'published, legal: be brief\n' });
  });

  test('is told that the 101st message has no room; cancel and pause still have (Q-3, Q-5)', async () => {
    using home = new Home();
    await home.run(['chat', '-p', 'Transfer 200 to ABC123']);
    expect((await home.run(['send', home.id, 'note 1'])).status).toBe(0);
    const store = createFileStore({
      ...home.kept,
      clock: systemClock,
      random: randomBytes,
      program: 'test',
    });
    const queue = store.mail(await store.resolve(home.id));
    const from = { type: 'person', name: 'ann', via: 'library' } as const;
    for (let number = 2; number <= 100; number += 1)
      await queue.send({ text: `note ${number}`, from }, {}, new AbortController().signal);
    const full = await home.run(['send', home.id, 'one more']);
    expect({ status: full.status, says: full.stderr.includes('is full: 100 messages are waiting') }).toEqual({
      status: 8,
      says: true,
    });
    expect((await home.run(['pause', home.id])).status).toBe(0);
    const page = await home.run(['queue', home.id, '--page', '2', '--json']);
    expect(JSON.parse(page.stdout)).toMatchObject({ total: 100, page: 2, hasNext: false });
    const cleared = await home.run(['queue', home.id, '--clear', '--json']);
    expect((JSON.parse(cleared.stdout) as { removed: string[] }).removed).toHaveLength(100);
  });

  test.each([
    [['send', 'nobody', 'hello'], 4],
    [['send', '', ' '], 2],
    [['send', '', 'x', '--action', 'fly'], 2],
    [['send', '', 'x', '--params', '{}'], 2],
    [['cancel', ''], 2],
    [['queue', '', '--remove', 'none'], 2],
  ])('%j is refused with status %i', async ([command = '', id = '', ...rest], status) => {
    using home = new Home();
    await home.run(['chat', '-p', 'Transfer 200 to ABC123']);
    const ran = await home.run([command, id === '' ? home.id : id, ...rest]);
    expect({ status: ran.status, hasError: ran.stderr.startsWith('error: ') }).toEqual({
      status,
      hasError: true,
    });
  });
});

describe('hitl graph', () => {
  test('draws a workflow, the same twice, and with what has happened', async () => {
    using home = new Home();
    const mermaid = ['graph', PUBLISH, '--trust', '--format', 'mermaid'];
    const [once, twice] = [await home.run(mermaid), await home.run(mermaid)];
    expect(once).toEqual(twice);
    expect(once.stdout).toContain('flowchart TD');
    await home.run(['run', PUBLISH, 'tea', '--trust', '--model', `script:${join(PUBLISH, 'model.jsonl')}`]);
    const drawn = await home.run(['graph', PUBLISH, '--session', home.id]);
    expect(drawn.stdout).toMatch(/draft .*\[waiting/);
  });
});

describe('going back', () => {
  async function whole(home: Home): Promise<void> {
    const args = ['run', PUBLISH, 'tea', '--trust', '--model', `script:${join(PUBLISH, 'model.jsonl')}`];
    const env = { PUBLISH_TO: join(home.path, 'out.txt') };
    const { status } = await home.run(args, { input: lines('y', '1', 'y'), env });
    expect(status).toBe(0);
  }

  test('rewind asks again what was answered, and tells what stays done', async () => {
    using home = new Home();
    await whole(home);
    const back = await home.run(['rewind', home.id, '--to', 'draft']);
    expect(back.status).toBe(0);
    expect(back.stderr).toContain('Not undone:\n  look_up_price  product: tea · done\n');
    const asked = await home.run(['resume', home.id, '--json']);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      status: 'interrupted',
      interrupts: [{ path: 'draft@2', kind: 'confirmation' }],
    });
    const off = await home.run(['rewind', home.id, '--to', 'nowhere']);
    expect({
      status: off.status,
      says: off.stderr.includes('use one of: ') && off.stderr.includes('draft@2'),
    }).toEqual({
      status: 2,
      says: true,
    });
  });

  test('a chat goes back behind a record; what tools did since is told', async () => {
    using home = new Home();
    await home.run(['chat', '-p', 'Transfer 200 to ABC123'], { input: lines('y') });
    const said = home.events().findIndex(({ type }) => type === 'message-added') + 1;
    const back = await home.run(['rewind', home.id, '--to', String(said)]);
    expect(back.stderr).toContain(
      'Not undone:\n  Transfer 200 to ABC123 · stopped at a question\n  Transfer 200 to ABC123 · done\n',
    );
    expect((await home.run(['resume', home.id])).status).toBe(3); // it is asked again
    expect(home.transfers()).toHaveLength(1);
  });

  test('/undo takes the last turn back, /rewind several, /fork makes a new session', async () => {
    using home = new Home();
    const typed = lines('What is my balance?', '/undo', '/fork', '/rewind 7', '/rewind 1', 'Hello');
    const { stderr } = await home.run(['chat'], { input: typed });
    expect(stderr).toContain('Went back to the start');
    expect(stderr).toMatch(/forked: hitl resume \S+/);
    expect(stderr).toContain('Nothing to undo');
    expect(home.ids()).toHaveLength(2);
  });

  test('rewind leaves a session that goes on, and a fork is named after its workflow', async () => {
    using home = new Home();
    await whole(home);
    const id = home.id;
    expect((await home.run(['rewind', id, '--to', firstNode(home, id)])).status).toBe(0);
    await home.run(['fork', id]);
    const listed = JSON.parse((await home.run(['list', '--json'])).stdout) as {
      readonly title: string;
      readonly status: string;
    }[];
    const titled = listed.map(({ title, status }) => [title.split(':')[0], status]);
    const own = titled.find(([title]) => title?.startsWith('fork of') === false)?.[0] ?? '';
    expect(titled.sort()).toEqual(
      [
        [own, 'interrupted'],
        [`fork of ${own}`, 'interrupted'],
      ].sort(),
    );
  });

  test('a session that ended before its workflow began is not taken up without its input', async () => {
    using home = new Home();
    await whole(home);
    const journal = join(home.path, 'sessions', home.id, 'journal.jsonl');
    const [created = ''] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${created}\n`);
    const { status, stderr } = await home.run(['resume', home.id, '--trust']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('ended before its workflow started')]);
  });

  test('fork makes a session with the same past up to a record, and leaves the old one alone', async () => {
    using home = new Home();
    await whole(home);
    const old = home.id;
    const before = home.events(old).length;
    const asked = home.events(old).findIndex(({ type }) => type === 'interrupt-raised') + 1;
    const forked = await home.run(['fork', old, '--at', String(asked)]);
    expect(forked.status).toBe(0);
    const id = forked.stdout.trim();
    expect(home.events(old)).toHaveLength(before);
    const env = { PUBLISH_TO: join(home.path, 'other.txt') };
    const { status } = await home.run(['resume', id], { input: lines('y', '3'), env });
    expect({ status, asked: (await home.run(['list', '--json'])).stdout.includes('fork of') }).toEqual({
      status: 0,
      asked: true,
    });
    const off = await home.run(['fork', old, '--at', '99999']);
    expect(off.status).toBe(2);
  });
});

/** The node that a workflow entered first. */
function firstNode(home: Home, id: string): string {
  const entered = home.events(id).find(({ type }) => type === 'node-entered');
  return String(entered && 'node' in entered ? entered['node'] : '');
}

/** Waits until a session's journal holds an event. */
async function waitForEvent(home: Home, type: string): Promise<void> {
  await expect.poll(() => typesOf(home), { timeout: 60_000, interval: 50 }).toContain(type);
}

/** The types of the events so far; none while there is no journal, or half a line of it. */
function typesOf(home: Home): readonly unknown[] {
  try {
    return home.ids().flatMap((id) => home.events(id).map(({ type }) => type));
  } catch {
    return [];
  }
}
