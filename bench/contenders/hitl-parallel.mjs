import * as z from 'zod';

import { product } from '../harness/places.mjs';
import { NOBODY, runOptions, SAID, SILENT, temporaryStore } from './hitl-engine.mjs';
import { parallelTools } from './waiting.mjs';

const { converse, defineTool, emptyState, evolve, run } = await product('lib/index.js');

function modelOf(count) {
  let turn = 0;
  return {
    id: 'parallel',
    async *generate() {
      turn += 1;
      const requests = Array.from({ length: count }, (_, n) => ({
        type: 'tool-request',
        ref: `call_${n}`,
        name: 'slow',
        input: { n },
      }));
      const reply =
        turn > 1
          ? { content: [{ type: 'text', text: 'Done.' }], end: 'stop' }
          : { content: requests, end: 'tool-use' };
      yield { type: 'reply', reply };
    },
  };
}

function slowTool(wait) {
  const input = z.object({ n: z.number() });
  return defineTool({ name: 'slow', description: 'Waits.', input, effect: 'once' }, () => wait());
}

async function inMemory(tools, wait) {
  const options = runOptions(modelOf(tools), [slowTool(wait)]);
  for await (const _ of run(evolve(emptyState(), SAID), options, new AbortController().signal));
}

async function journaled(tools, wait, store) {
  const session = await store.create({ agent: { model: 'parallel', tools: [] } });
  await session.append([SAID]);
  const start = performance.now();
  const options = {
    session,
    run: runOptions(modelOf(tools), [slowTool(wait)]),
    channel: NOBODY,
    renderer: SILENT,
  };
  await converse(options, new AbortController().signal);
  const ms = performance.now() - start;
  await session[Symbol.asyncDispose]();
  return ms;
}

/** @param params `{ how: 'memory' | 'journal' | 'bare' }` */
export async function measure({ how, ...params }) {
  if (how === 'bare') {
    return parallelTools((tools, wait) => Promise.all(Array.from({ length: tools }, () => wait())), params);
  }
  if (how === 'memory') return parallelTools(inMemory, params);
  const { store, remove } = await temporaryStore();
  try {
    return await parallelTools((tools, wait) => journaled(tools, wait, store), params);
  } finally {
    remove();
  }
}
