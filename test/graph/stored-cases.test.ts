import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FileStore } from '../../sessions/index.js';
import type { JsonObject, JsonValue, SessionEvent, SessionId } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import { graph } from '../../src/graph/index.js';
import { agent } from '../sessions/sample-events.js';
import { temporaryStore } from '../sessions/temporary-store.js';
import { ANN, AT } from '../helpers/events.js';
import { driveGraph, openOf, pathOf, startGraph } from './drive-graph.js';

type Store = FileStore & { readonly root: string };

const flow = graph('kept', { interruptBefore: ['b'] })
  .fn('a', () => 'A')
  .fn('b', () => 'B')
  .edge('a', 'b')
  .end('b')
  .build();

/** A session in which the graph waits before b, with a journal of 6 lines. */
async function kept(): Promise<{ store: Store; id: SessionId; journal: string }> {
  const store = temporaryStore();
  await using session = await store.create({ agent });
  for (const event of (await startGraph(flow)).events) await session.append([event]);
  return { store, id: session.id, journal: path.join(store.root, session.id, 'journal.jsonl') };
}

async function goOn({ store, id }: Awaited<ReturnType<typeof kept>>) {
  await using session = await store.open(id, 'write');
  const run = await driveGraph(session.state, flow);
  if (run.events.length > 0) await session.append(run.events);
  return { ...run, notices: session.notices };
}

describe('a workflow on disk', () => {
  test('case 35: waits before its node in another process too', async () => {
    const { state, events } = await goOn(await kept());
    expect([events, openOf(state), pathOf(state)]).toEqual([[], ['gate b@1 before'], 'a@1 b@1']);
  });

  test('case 83: a torn last line is left out, and what it told happens again', async () => {
    const made = await kept();
    const bytes = readFileSync(made.journal);
    writeFileSync(made.journal, bytes.subarray(0, -9));
    const { events, state, notices } = await goOn(made);
    expect(notices).toEqual([expect.stringMatching(/^the last \d+ bytes/u)]);
    expect([events.map(({ type }) => type), openOf(state)]).toEqual([
      ['interrupt-raised'],
      ['gate b@1 before'],
    ]);
  });

  test('case 83: a line that is not whole in the middle is refused, with its number', async () => {
    const made = await kept();
    const lines = readFileSync(made.journal, 'utf8').split('\n');
    writeFileSync(made.journal, lines.with(3, '{"v":1,').join('\n'));
    await expect(made.store.open(made.id, 'write')).rejects.toMatchObject({
      code: 'SESSION_DAMAGED',
      detail: { line: 4, lastGood: 3 },
    });
  });

  test('case 85: is refused to a second process, with the pid of the first', async () => {
    const { store, id } = await kept();
    await using holder = await store.open(id, 'write');
    expect(openInterrupts(holder.state)).toHaveLength(1);
    await expect(store.open(id, 'write')).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
      detail: { pid: process.pid },
    });
  });

  test('case 63: a changed condition is there after a restart', async () => {
    const made = await kept();
    {
      await using session = await made.store.open(made.id, 'write');
      const [open] = openInterrupts(session.state);
      if (open === undefined) throw new Error('nothing is open');
      const answered: SessionEvent = {
        type: 'interrupt-resolved',
        id: open.id,
        digest: open.digest,
        resolution: { action: 'change-condition', patch: { fast: true } },
        by: ANN,
        resolvedAt: AT,
      };
      await session.append([answered]);
    }
    const { state } = await goOn(made);
    expect([state.graph?.conditions, state.ended]).toEqual([{ fast: true }, { type: 'done' }]);
  });

  test('case 91, R-7: a session that is not there is an error, and nothing else', async () => {
    const store = temporaryStore();
    for (const mode of ['read', 'write'] as const)
      await expect(store.open('nope' as SessionId, mode)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
  });

  test('case 74: an action that is too large, and one that is no JSON, are told apart', async () => {
    const { store, id } = await kept();
    const queue = store.mail(id);
    const send = (patch: JsonObject) =>
      queue.send(
        { text: 'x', from: ANN, action: { action: 'update-state', patch } },
        {},
        AbortSignal.timeout(60_000),
      );
    const ring: Record<string, JsonValue> = {};
    ring['self'] = ring;
    await expect(send({ large: 'x'.repeat(100_001) })).rejects.toThrow(/100,?000/u);
    await expect(send(ring)).rejects.toThrow(/JSON/u);
    expect((await queue.metrics()).depth).toBe(0);
  });

  test('R-1: a look at the queue changes neither its depth, its order nor when it was last used', async () => {
    const { store, id } = await kept();
    const queue = store.mail(id);
    for (const text of ['one', 'two', 'three'])
      await queue.send({ text, from: ANN }, {}, AbortSignal.timeout(60_000));
    const look = async () => (await queue.list()).items.map(({ text }) => text);
    const before = await queue.metrics();
    expect([await look(), await look(), await queue.metrics()]).toEqual([
      ['one', 'two', 'three'],
      ['one', 'two', 'three'],
      before,
    ]);
  });
});
