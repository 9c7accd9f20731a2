import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Command, entrypoint, interrupt, MemorySaver, task } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

import { timedSteps } from './steps.mjs';

/** @param params `{ steps, saved }` */
export async function measure({ steps, saved = false }) {
  const folder = saved ? mkdtempSync(path.join(process.env.BENCH_TMP ?? tmpdir(), 'hitl-bench-')) : undefined;
  let opened = 0;
  try {
    return await timedSteps(steps, async (count) => {
      opened += 1;
      const checkpointer = saved
        ? SqliteSaver.fromConnString(path.join(folder, `${opened}.db`))
        : new MemorySaver();
      const add = task('add', async (n) => n + 1);
      const flow = entrypoint({ name: 'steps', checkpointer }, async () => {
        for (let n = 0; n < count; n += 1) await add(n);
        return interrupt('End?');
      });
      const config = { configurable: { thread_id: '1' } };
      const run = async () => {
        const end = await flow.invoke('go', config);
        if (end?.__interrupt__?.length !== 1) throw new Error('no question');
      };
      const goOn = async () => {
        if ((await flow.invoke(new Command({ resume: true }), config)) !== true) throw new Error('not done');
      };
      return { run, goOn };
    });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
