import { expect, test } from 'vitest';

import type { RunState } from '../../src/core/index.js';
import type { RunOptions } from '../../src/engine/index.js';
import { run } from '../../src/engine/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { calls, names, scene, tool } from './drive.js';

/** Each durable batch of a run, by its events; `later` where its flush may be that of the next one. */
async function batches(state: RunState, options: RunOptions): Promise<readonly string[]> {
  const told: string[] = [];
  for await (const event of run(state, options, new AbortController().signal)) {
    if (event.durable) told.push(`${names(event.events).join(', ')}${event.lazily === true ? ' later' : ''}`);
  }
  return told;
}

const hi = stateAfter(userSaid('hi'));

test('what the world outside depends on is flushed before it: a request, a start, an end (G2, G9)', async () => {
  const tools = [tool('look', () => 'seen')];
  const told = await batches(hi, scene({ replies: [calls(['look']), 'done'], tools }));
  expect(told).toEqual([
    'model-started',
    'model later',
    'started r1#1',
    'settled r1 output later',
    'model-started',
    'model, ended done',
  ]);
});

test('a question is flushed before it is asked, with the message that led to it', async () => {
  const tools = [tool('pay', () => 'paid', { needsApproval: true })];
  const options = scene({ replies: [calls(['pay'])], tools });
  expect(await batches(hi, options)).toEqual(['model-started', 'model later', 'raised i1 confirmation']);
});

test('results that come in one turn of the event loop may share a flush', async () => {
  const tools = [tool('look', () => 'seen'), tool('hear', () => 'heard')];
  const told = await batches(hi, scene({ replies: [calls(['look'], ['hear']), 'done'], tools }));
  expect(told.filter((batch) => batch.startsWith('settled')).every((batch) => batch.endsWith(' later'))).toBe(
    true,
  );
});
