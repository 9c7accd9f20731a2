import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import type { RunState, StoredEvent } from '../../src/core/index.js';
import { emptyState, evolve, openInterrupts } from '../../src/core/index.js';
import { Home, lines } from '../helpers/program.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/publish', import.meta.url));
const ARGS = [
  'run',
  EXAMPLE,
  'tea prices',
  '--trust',
  '--model',
  `script:${join(EXAMPLE, 'model.jsonl')}`,
  '--after',
  'draft',
];

function journal(home: Home, id: string): string {
  return readFileSync(join(home.sessions, id, 'journal.jsonl'), 'utf8');
}

function stateOf(home: Home, id: string): RunState {
  const stored = journal(home, id)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredEvent);
  return stored.reduce((state, { event, scope }) => evolve(state, { ...event, scope }), emptyState());
}

test('a fork at a record takes an edit of the state; the old session stays as it is (graph case 90)', async () => {
  using home = new Home();
  const env = { PUBLISH_TO: join(home.path, 'out.txt') };
  expect((await home.run(ARGS, { input: lines('y'), env })).status).toBe(3);
  const { id } = home;
  const before = journal(home, id);
  const at = before.trim().split('\n').length;
  const forked = await home.run(['fork', id, '--at', String(at), '--json']);
  const { session: fork } = JSON.parse(forked.stdout) as { readonly session: string };
  expect([forked.status, fork === id, [...home.ids()].sort()]).toEqual([0, false, [id, fork].sort()]);
  expect(openInterrupts(stateOf(home, fork))).toMatchObject([{ kind: 'gate' }]);
  const edit = { action: 'update-state', patch: { edited: true } };
  const answered = await home.run(['answer', fork, JSON.stringify(edit)]);
  expect({ status: answered.status, edited: stateOf(home, fork).graph?.state['edited'] }).toEqual({
    status: 0,
    edited: true,
  });
  expect(stateOf(home, fork).parent).toEqual({ kind: 'fork', session: id, seq: at });
  expect(journal(home, id)).toBe(before);
});
