import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { PruneOptions } from '../../sessions/index.js';
import { createMemoryStore, pruneSessions } from '../../sessions/index.js';
import type { SessionEvent, SessionId } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { graph } from '../../src/graph/index.js';
import { startGraph } from '../graph/drive-graph.js';
import { agent, said, transferTurn } from './sample-events.js';
import { temporaryStore } from './temporary-store.js';

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const TURN = transferTurn();
const ERROR = { code: 'MODEL_FAILED', message: 'no' } as const;
const FAILED: SessionEvent = { type: 'run-ended', reason: { type: 'failed', error: ERROR } };

/** The events of a workflow whose process died while a node was at work. */
async function killedInNode(): Promise<readonly SessionEvent[]> {
  const flow = graph('f')
    .fn('work', () => 1)
    .end('work')
    .build();
  const { events } = await startGraph(flow);
  return events.slice(0, events.findIndex(({ type }) => type === 'node-started') + 1);
}

/** Sessions of many kinds, all of the same day, and one that is younger. */
async function world() {
  const clock = fakeClock({ start: START });
  const store = createMemoryStore({ clock, random: randomBytes });
  const made = async (title: string, events: readonly SessionEvent[]): Promise<SessionId> => {
    await using session = await store.create({ agent, title, events });
    return session.id;
  };
  await made('done', TURN);
  await made('failed', [FAILED]);
  await made('left', [said('x')]);
  await made('asked', TURN.slice(0, 5));
  await made('killed in a tool', TURN.slice(0, 4));
  await made('failed in a tool', [...TURN.slice(0, 4), FAILED]);
  await made('killed in a node', await killedInNode());
  const written = await store.open(await made('written', TURN), 'write');
  const from = { type: 'person', name: 'ann', via: 'library' } as const;
  const mail = store.mail(await made('told', TURN));
  await mail.send({ text: 'go on', from }, {}, new AbortController().signal);
  await clock.advance(2 * DAY_MS);
  await made('young', TURN);
  const titles = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { title } of store.list()) found.push(title);
    return found.sort();
  };
  const pruned = async (options: Omit<PruneOptions, 'before'>): Promise<Record<string, string>> => {
    const results: Record<string, string> = {};
    for await (const one of pruneSessions(store, { before: START + DAY_MS, ...options }))
      results[one.session.title] = one.result === 'kept' ? one.why : one.result;
    return results;
  };
  return { store, written, titles, pruned };
}

const KEPT = {
  asked: 'asked',
  'killed in a tool': 'in-doubt',
  'failed in a tool': 'in-doubt',
  'killed in a node': 'in-doubt',
  written: 'in-use',
  told: 'mail',
};

describe('old sessions', () => {
  test('go where nobody is asked and nothing is in doubt; a younger one is not looked at', async () => {
    const { pruned, titles } = await world();
    expect(await pruned({})).toEqual({ done: 'removed', failed: 'removed', left: 'removed', ...KEPT });
    expect(await titles()).toEqual([...Object.keys(KEPT), 'young'].sort());
  });

  test('stay all of them while it is only said what would go', async () => {
    const { pruned, titles } = await world();
    const before = await titles();
    expect(await pruned({ isDry: true })).toEqual({ done: 'old', failed: 'old', left: 'old', ...KEPT });
    expect(await titles()).toEqual(before);
  });

  test('stay where they stopped before their end, if that is wanted', async () => {
    const { pruned } = await world();
    const results = {
      done: 'removed',
      failed: 'removed',
      left: 'open',
      ...KEPT,
      'killed in a tool': 'open',
      'killed in a node': 'open',
    };
    expect(await pruned({ keepOpen: true })).toEqual(results);
  });

  test('stay where somebody wrote one between the look and the removal', async () => {
    const { store, pruned, titles } = await world();
    const remove = store.remove.bind(store);
    store.remove = async (id, options) => {
      await using session = await store.open(id, 'write');
      await session.append([said('I am still here')]);
      await session[Symbol.asyncDispose]();
      await remove(id, options);
    };
    expect(await pruned({})).toEqual({ done: 'changed', failed: 'changed', left: 'changed', ...KEPT });
    expect(await titles()).toHaveLength(10);
  });

  test('stay where a store says that something happens in them by itself', async () => {
    const { store, pruned } = await world();
    const list = store.list.bind(store);
    store.list = async function* (query) {
      for await (const one of list(query)) yield { ...one, until: '2027-01-01T00:00:00.000Z' };
    };
    expect(await pruned({})).toMatchObject({ done: 'timed', failed: 'timed', left: 'timed', asked: 'asked' });
  });

  test('stay where the end of their journal cannot be read', async () => {
    const clock = fakeClock({ start: START });
    const store = temporaryStore({ clock });
    const session = await store.create({ agent, events: [FAILED] });
    await session[Symbol.asyncDispose]();
    appendFileSync(path.join(store.root, session.id, 'journal.jsonl'), '{"v":1,"seq');
    const results = [];
    for await (const one of pruneSessions(store, { before: START + DAY_MS })) results.push(one);
    expect(results).toMatchObject([{ result: 'kept', why: 'unreadable' }]);
  });

  test('stay where somebody sent a message between the look and the removal', async () => {
    const { store, pruned, titles } = await world();
    const remove = store.remove.bind(store);
    store.remove = async (id, options) => {
      const from = { type: 'person', name: 'ann', via: 'library' } as const;
      await store.mail(id).send({ text: 'go on', from }, {}, new AbortController().signal);
      await remove(id, options);
    };
    expect(await pruned({})).toEqual({ done: 'changed', failed: 'changed', left: 'changed', ...KEPT });
    expect(await titles()).toHaveLength(10);
  });
});
