import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { product } from '../harness/places.mjs';
import { timedSteps } from './steps.mjs';

const { answers, graph, openFlow, workflow } = await product('lib/index.js');

/** Steps that each do next to nothing, and a question behind them. */
function code(steps) {
  return workflow('steps', async (ctx) => {
    for (let n = 0; n < steps; n += 1) await ctx.step('add', () => n + 1, { effect: 'none' });
    return ctx.ask('end', { prompt: 'End?', schema: { type: 'boolean' } });
  });
}

function nodes(steps) {
  return graph('nodes', { maxIterations: steps + 10 })
    .fn('add', ({ add = 0 }) => Number(add) + 1, { effect: 'none' })
    .human('end', { question: () => ({ prompt: 'End?', schema: { type: 'boolean' } }) })
    .edge('add', 'add', { when: ({ add }) => Number(add) < steps })
    .edge('add', 'end')
    .end('end')
    .build();
}

/** @param params `{ steps, form: 'code' | 'nodes', saved }` */
export async function measure({ steps, form, saved = false }) {
  const folder = saved ? mkdtempSync(path.join(process.env.BENCH_TMP ?? tmpdir(), 'hitl-bench-')) : undefined;
  try {
    return await timedSteps(steps, async (count) => {
      const flow = await openFlow((form === 'code' ? code : nodes)(count), { store: folder });
      const run = async () => {
        await flow.start();
        if (flow.open.length !== 1) throw new Error('no question');
      };
      const goOn = async () => {
        const { type } = await flow.answer(answers.respond(flow.open[0], true));
        if (type !== 'done') throw new Error(type);
        await flow.close();
      };
      return { run, goOn };
    });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
