// The workflow of examples/publish, played as a person answers it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { RunState, StoredEvent } from '../../src/core/index.js';
import { activationId, emptyState, evolve, livePath } from '../../src/core/index.js';
import type { Home, Ran } from './program.js';

export const EXAMPLE = fileURLToPath(new URL('../../examples/publish', import.meta.url));
const MODEL = `script:${join(EXAMPLE, 'model.jsonl')}`;
export const NOTE = 'Tea is 30 now. Thank you for reading us!';

/** What a person says: approve, send it back with guidance, approve, go on, publish, go back once, publish, go on. */
export const ANSWERS = ['y', 'rerun keep it short', 'y', 'y', '1', 'go-back 1', 'publish', 'y'];
export const REST = ['tea prices', '--model', MODEL, '--after', 'draft'];
export const ARGS = ['run', EXAMPLE, '--trust', ...REST];

export interface Shown {
  readonly interrupts: readonly { readonly kind: string; readonly source: { readonly nodeId?: string } }[];
}

export function run(home: Home, args: readonly string[], input = '', env = {}): Promise<Ran> {
  return home.run(args, { input, env: { PUBLISH_TO: join(home.path, 'out.txt'), ...env } });
}

export function published(home: Home): readonly unknown[] {
  const file = join(home.path, 'out.txt');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { note: string }).note);
}

/** The lines at the left edge: what ran, and what became of it. */
export function heads(text: string): readonly string[] {
  return text.split('\n').filter((line) => /^\S/.test(line));
}

/** The fold of what a session wrote. */
export function stateOf(home: Home): RunState {
  const text = readFileSync(join(home.sessions, home.id, 'journal.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredEvent)
    .reduce((state, { event, scope }) => evolve(state, { ...event, scope }), emptyState());
}

/** Where a workflow is in the end: what its nodes made, and which of them count. */
export function endOf(home: Home) {
  const { graph, ended } = stateOf(home);
  return { ended, state: graph?.state, path: graph && livePath(graph).map(activationId) };
}

export const WHOLE = {
  ended: { type: 'done' },
  state: { input: 'tea prices', draft: NOTE, review: 'publish', publish: `published: ${NOTE}` },
  path: ['draft@2', 'review@2', 'publish@2'],
};
