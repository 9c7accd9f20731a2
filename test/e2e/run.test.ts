import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, test } from 'vitest';

import type { RunState, StoredEvent } from '../../src/core/index.js';
import { activationId, emptyState, evolve, livePath } from '../../src/core/index.js';
import { killAt } from '../helpers/kill-at.js';
import type { Ran } from '../helpers/program.js';
import { Home, lines } from '../helpers/program.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/publish', import.meta.url));
const MODEL = `script:${join(EXAMPLE, 'model.jsonl')}`;
const NOTE = 'Tea is 30 now. Thank you for reading us!';

/** What a person says: approve, send it back with guidance, approve, go on, publish, go back once, publish, go on. */
const ANSWERS = ['y', 'rerun keep it short', 'y', 'y', '1', 'go-back 1', 'publish', 'y'];
const REST = ['tea prices', '--model', MODEL, '--after', 'draft'];
const ARGS = ['run', EXAMPLE, '--trust', ...REST];

interface Shown {
  readonly interrupts: readonly { readonly kind: string; readonly source: { readonly nodeId?: string } }[];
}

function run(home: Home, args: readonly string[], input = '', env = {}): Promise<Ran> {
  return home.run(args, { input, env: { PUBLISH_TO: join(home.path, 'out.txt'), ...env } });
}

function published(home: Home): readonly unknown[] {
  const file = join(home.path, 'out.txt');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { note: string }).note);
}

/** The lines at the left edge: what ran, and what became of it. */
function heads(text: string): readonly string[] {
  return text.split('\n').filter((line) => /^\S/.test(line));
}

/** The fold of what a session wrote. */
function stateOf(home: Home): RunState {
  const text = readFileSync(join(home.sessions, home.id, 'journal.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredEvent)
    .reduce((state, { event, scope }) => evolve(state, { ...event, scope }), emptyState());
}

/** Where a workflow is in the end: what its nodes made, and which of them count. */
function endOf(home: Home) {
  const { graph, ended } = stateOf(home);
  return { ended, state: graph?.state, path: graph && livePath(graph).map(activationId) };
}

const WHOLE = {
  ended: { type: 'done' },
  state: { input: 'tea prices', draft: NOTE, review: 'publish', publish: `published: ${NOTE}` },
  path: ['draft@2', 'review@2', 'publish@2'],
};

describe('hitl run examples/publish', () => {
  test('asks at the tool inside the draft, at the gates and at the review, and publishes once', async () => {
    using home = new Home();
    const { status, stdout } = await run(home, ARGS, lines(...ANSWERS));
    expect({ status, stdout, published: published(home), end: endOf(home) }).toEqual({
      status: 0,
      stdout: `published: ${NOTE}\n`,
      published: [NOTE],
      end: WHOLE,
    });
    const shown = await home.run(['show', home.id]);
    expect(heads(shown.stdout)).toEqual([
      'draft undone',
      'draft@2 done',
      'review undone',
      'publish undone',
      'review@2 done',
      'publish@2 done',
    ]);
    expect(shown.stdout).toContain('  guidance: keep it short\n');
    const why = await home.run(['why', home.id, 'publish@2']);
    expect(why.stdout).toContain('i8  gate of publish@2\n');
    const effects = JSON.parse((await home.run(['show', '--effects', '--json', home.id])).stdout) as object[];
    expect(effects).toMatchObject([{ path: 'draft@1' }, { path: 'draft@2' }]);
  });

  test('waits with status 3, is in the inbox, and is answered from elsewhere (graph case 48, I-13)', async () => {
    using home = new Home();
    expect((await run(home, ARGS)).status).toBe(3);
    const inbox = await home.run(['inbox', '--json']);
    expect(JSON.parse(inbox.stdout)).toMatchObject([{ kind: 'confirmation', path: 'draft@1' }]);
    expect((await home.run(['answer', home.id, 'y'])).status).toBe(0);
    const { status, stdout } = await run(home, ['resume', home.id], lines(...ANSWERS.slice(1)));
    expect({ status, stdout, published: published(home) }).toEqual({
      status: 0,
      stdout: `published: ${NOTE}\n`,
      published: [NOTE],
    });
  });

  test('an answer that the gate does not take leaves it open: status 2', async () => {
    using home = new Home();
    const { status, stderr } = await run(home, ARGS, lines('y', 'go-back 7'));
    expect({ status, says: stderr.includes('before the start of the path') }).toEqual({
      status: 2,
      says: true,
    });
    expect(JSON.parse((await home.run(['inbox', '--json'])).stdout)).toMatchObject([{ kind: 'gate' }]);
  });

  test('ends with status 9 when a person cancels it, and can be taken up again', async () => {
    using home = new Home();
    const cancelled = await run(home, ARGS, lines('y', 'cancel not now'));
    expect({ status: cancelled.status, ended: stateOf(home).ended }).toEqual({
      status: 9,
      ended: { type: 'aborted' },
    });
    expect(cancelled.stderr).toContain(`hint: hitl resume ${home.id}`);
    expect(published(home)).toEqual([]);
    expect((await run(home, ['resume', home.id])).status).toBe(3);
  });
});

/** Of the points of death one of so many is tried; `KILL_POINTS=all` tries each. */
const EVERY = process.env['KILL_POINTS'] === 'all' ? 1 : 3;

describe.each([
  ['flow.ts', 0],
  ['flow.yaml', 1],
] as const)('%s that is killed', (file, first) => {
  const args = ['run', join(EXAMPLE, file), '--trust', ...REST];
  let points: readonly (readonly [type: string, nth: number])[] = [];

  beforeAll(async () => {
    using home = new Home();
    await run(home, args, lines(...ANSWERS));
    const seen = new Map<string, number>();
    const all = home.events().flatMap(({ type }) => {
      if (typeof type !== 'string' || !['interrupt-raised', 'node-started', 'tool-started'].includes(type))
        return [];
      seen.set(type, (seen.get(type) ?? 0) + 1);
      return [[type, seen.get(type) ?? 0] as const];
    });
    expect(all.length).toBeGreaterThanOrEqual(15);
    points = all.filter((_point, index) => index % EVERY === first % EVERY);
  });

  test('at each question and in each node ends as one that is not, with each effect once', async () => {
    const ends: unknown[] = [];
    for (const [type, nth] of points) ends.push({ type, nth, ...(await dieAndGoOn(args, type, nth)) });
    expect(ends).toEqual(
      points.map(([type, nth]) => ({ type, nth, status: 0, published: [NOTE], end: WHOLE })),
    );
    expect(points.length).toBeGreaterThanOrEqual(5);
  }, 400_000);
});

/** Dies after an event, says what became of what is in doubt, and goes on with the answers that are left. */
async function dieAndGoOn(args: readonly string[], type: string, nth: number) {
  using home = new Home();
  const died = await run(home, args, lines(...ANSWERS), killAt(home, 'after', type, nth));
  expect(died.status).toBe(137);
  const given = home.events().filter((event) => event['type'] === 'interrupt-resolved').length;
  const asked = await run(home, ['resume', home.id, '--json']);
  const { interrupts } = JSON.parse(asked.stdout) as Shown;
  const doubts = interrupts.filter(({ kind }) => kind === 'in-doubt');
  const facts = doubts.map(({ source }) =>
    source.nodeId === 'publish' && published(home).length > 0 ? `a "published: ${NOTE}"` : 'retry',
  );
  const { status } = await run(home, ['resume', home.id], lines(...facts, ...ANSWERS.slice(given)));
  return { status, published: published(home), end: endOf(home) };
}
