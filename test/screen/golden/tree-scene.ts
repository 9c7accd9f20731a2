import * as z from 'zod';

import type { RunState, RunTimes, SessionEvent, StoredEvent } from '../../../src/core/index.js';
import { emptyState, fold, openInterrupts, ROOT_PATH, timesOf } from '../../../src/core/index.js';
import type { Graph } from '../../../src/graph/index.js';
import { workflow } from '../../../src/graph/index.js';
import { decide, Died, driveGraph } from '../../graph/drive-graph.js';
import { resolutionOf } from '../../graph/workflow/play.js';
import type { Reply } from '../../graph/workflow/play.js';

/** A release to five hosts, two at once, with a yes before each batch, and a way back. */
export const deploy = workflow('deploy', async (ctx) => {
  const version = await ctx.ask('version', { prompt: 'Which version goes out?', schema: z.string() });
  for (const check of ['lint', 'types', 'unit', 'e2e', 'size'])
    await ctx.step('check', () => true, { of: check, effect: 'none' });
  const done: string[] = [];
  try {
    for (const batch of [['a', 'b'], ['c', 'd'], ['e']]) {
      await ctx.ask('go', { prompt: `Deploy ${version} to ${batch.join(' and ')}?` });
      const branches = batch.map((host) => [
        host,
        async (c: typeof ctx) => {
          await c.step('install', () => void done.push(host), { of: `${host} ${version}` });
          await c.step('probe', () => host !== 'x', { of: host, effect: 'none' });
        },
      ]);
      await ctx.all('hosts', Object.fromEntries(branches));
    }
    await ctx.sleep('soak', '2h');
    return 'deployed';
  } catch {
    for (const host of done.reverse()) await ctx.step('roll back', () => true, { of: host });
    return 'rolled back';
  }
});

/** A session in memory, with a time for each of its records. */
export interface Told {
  readonly state: RunState;
  readonly events: readonly StoredEvent[];
  readonly times: RunTimes;
}

const FIRST = Date.parse('2026-01-02T03:00:00.000Z');

/** Plays a workflow with answers; each record is a second after the one before. @param dieAfter records of the last run that are kept */
export async function told(flow: Graph, replies: readonly Reply[], dieAfter = Infinity): Promise<Told> {
  const events: SessionEvent[] = [];
  const take = async (from: RunState, last: boolean): Promise<RunState> => {
    try {
      const ran = await driveGraph(from, flow, last ? { dieAfter } : {});
      events.push(...ran.events);
      return ran.state;
    } catch (thrown) {
      if (!(thrown instanceof Died)) throw thrown;
      events.push(...thrown.events);
      return thrown.state;
    }
  };
  let state = await take(emptyState(), replies.length === 0);
  for (const [at, reply] of replies.entries()) {
    const [open] = openInterrupts(state);
    if (open === undefined) throw new Error('nothing is open');
    const answered = decide(state, resolutionOf(reply));
    const resolved = answered.resolved.toArray().at(-1);
    if (resolved === undefined) throw new Error('nothing was answered');
    const { interrupt, resolution, by } = resolved;
    events.push({
      type: 'interrupt-resolved',
      id: interrupt.id,
      digest: interrupt.digest,
      resolution,
      by,
      resolvedAt: '',
      ...(interrupt.path !== ROOT_PATH && { scope: interrupt.path }),
    });
    state = await take(answered, at === replies.length - 1);
  }
  if (dieAfter !== Infinity) await take(state, false); // somebody takes it up again
  return withTimes(events);
}

function withTimes(events: readonly SessionEvent[]): Told {
  const stored = events.map((event, index): StoredEvent => {
    const at = new Date(FIRST + index * 1_000).toISOString();
    const timed =
      event.type === 'op-started' || event.type === 'node-started'
        ? { ...event, startedAt: at }
        : event.type === 'interrupt-resolved'
          ? { ...event, resolvedAt: at }
          : event;
    return { v: 2, seq: index + 1, at, scope: event.scope ?? ROOT_PATH, event: timed };
  });
  return { events: stored, state: fold(stored.map(({ event }) => event)), times: timesOf(stored) };
}
