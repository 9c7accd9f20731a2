import { expect, test } from 'vitest';

import { createMemoryStore } from '../../sessions/index.js';
import { answers, openFlow, systemClock, workflow } from '../../src/index.js';

test('W59: a program shows what a move would be, and moves a workflow by that plan alone', async () => {
  const store = createMemoryStore({ clock: systemClock, random: (size) => new Uint8Array(size) });
  const deploy = (version: number) =>
    workflow('deploy', { version }, (ctx) => ctx.ask('go', { prompt: 'Go?' }));
  const older = await openFlow(deploy(1), { store });
  await older.start();
  const { id } = older;
  await older.close();
  const flow = await openFlow(id, deploy(2), { store });
  await expect(flow.resume()).rejects.toMatchObject({ code: 'BAD_GRAPH' });
  const { plan, parts, replay } = await flow.migration();
  expect([parts, replay]).toMatchObject([[{ name: 'deploy', from: 1, to: 2 }], { operations: 1 }]);
  await expect(flow.migrate('0123456789ab')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  await flow.migrate(plan);
  expect(await flow.migration()).toMatchObject({ parts: [] });
  const [question] = flow.open;
  if (question === undefined) throw new Error('nothing is asked');
  await flow.answer(answers.respond(question, true));
  expect(flow.state['deploy']).toBe(true);
  await flow.close();
});
