// Runs inside the fresh process: counts one thing at one size and prints it.
import { statSync } from 'node:fs';
import path from 'node:path';

import * as z from 'zod';

import { countingModel, runOptions, SAID, SILENT, temporaryStore } from '../contenders/hitl-engine.mjs';
import { product } from './places.mjs';

const { converse, defineTool, emptyState, evolve, fold, run } = await product('lib/index.js');

/** The last so many of a conversation are counted. */
const WINDOW = 50;
const by = { type: 'person', name: 'bench', via: 'terminal' };

/** A disk that counts its operations, its flushes and what is read. */
async function countingDisk() {
  const { nodeFileSystem } = await product('sessions/disk/file-system.js');
  const noFlush = async () => undefined;
  const disk = { ...nodeFileSystem(), datasync: noFlush, sync: noFlush };
  const counted = { operations: 0, syncs: 0, read: 0 };
  const fs = Object.fromEntries(
    Object.entries(disk).map(([name, operation]) => [
      name,
      (...given) => {
        counted.operations += 1;
        const result = operation(...given);
        if (name === 'datasync') counted.syncs += 1;
        if (name === 'read') counted.read += result;
        return result;
      },
    ]),
  );
  return { fs, counted };
}

function allocatedSoFar() {
  return process.memoryUsage().heapUsed;
}

const programs = {
  async cycles(size) {
    const { fs, counted } = await countingDisk();
    const { root, store, remove } = await temporaryStore(fs);
    const session = await store.create({ agent: { model: 'counting', tools: [] } });
    await session.append([SAID]);
    const file = path.join(root, session.id, 'journal.jsonl');
    const now = () => ({ ...counted, bytes: statSync(file).size, allocated: allocatedSoFar() });
    const marks = new Map();
    let asked = 0;
    const channel = {
      async ask([{ id, digest }]) {
        asked += 1;
        if (asked === size - WINDOW) {
          globalThis.gc();
          marks.set('from', now());
        }
        if (asked === size) marks.set('to', now());
        return { type: 'answered', answer: { id, digest, resolution: { action: 'restart' }, by } };
      },
    };
    const input = z.object({ n: z.number() });
    const pay = { name: 'pay', description: 'Pays.', input, needsApproval: true };
    const model = countingModel(size, { name: 'pay', input: (n) => ({ n }) });
    const options = runOptions(model, [defineTool(pay, ({ n }) => n)]);
    await converse({ session, run: options, channel, renderer: SILENT }, new AbortController().signal);
    await session[Symbol.asyncDispose]();
    remove();
    const [from, to] = [marks.get('from'), marks.get('to')];
    return Object.fromEntries(Object.keys(from).map((key) => [key, (to[key] - from[key]) / WINDOW]));
  },

  async turns(size) {
    const input = z.object({ a: z.number(), b: z.number() });
    const add = defineTool({ name: 'add', description: 'Adds.', input, effect: 'none' }, ({ a, b }) => a + b);
    let before = 0;
    let turns = 0;
    const options = runOptions(countingModel(size), [add]);
    for await (const event of run(evolve(emptyState(), SAID), options, new AbortController().signal)) {
      if (!event.durable || event.events[0].type !== 'tool-settled') continue;
      turns += 1;
      if (turns === size - WINDOW) {
        globalThis.gc();
        before = allocatedSoFar();
      }
    }
    return { allocated: (allocatedSoFar() - before) / WINDOW };
  },

  async fold(size) {
    const events = Array.from({ length: size }, (_, n) => ({
      type: 'message-added',
      message: { role: n % 2 === 0 ? 'user' : 'model', content: [{ type: 'text', text: `${n}` }] },
    }));
    globalThis.gc();
    const before = allocatedSoFar();
    fold(events);
    return { allocated: (allocatedSoFar() - before) / size };
  },

  async list(size) {
    const { fs, counted } = await countingDisk();
    const { store, remove } = await temporaryStore(fs);
    for (let n = 0; n < size; n += 1) {
      const session = await store.create({ agent: { model: 'none', tools: [] } });
      await session.append([SAID]);
      await session[Symbol.asyncDispose]();
    }
    for await (const _ of store.list());
    const before = counted.operations;
    for await (const _ of store.list());
    remove();
    return { operations: (counted.operations - before) / size };
  },

  async open(size) {
    const { fs, counted } = await countingDisk();
    const { root, store, remove } = await temporaryStore(fs);
    const session = await store.create({ agent: { model: 'none', tools: [] } });
    const content = [{ type: 'text', text: 'x'.repeat(500) }];
    await session.append(
      Array.from({ length: size }, (_, n) => ({
        type: 'message-added',
        message: { role: n % 2 === 0 ? 'user' : 'model', content },
      })),
    );
    await session[Symbol.asyncDispose]();
    const { size: bytes } = statSync(path.join(root, session.id, 'journal.jsonl'));
    const before = counted.read;
    await store.open(session.id, 'read');
    remove();
    return { read: (counted.read - before) / bytes };
  },
};

const [what, size] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await programs[what](Number(size))));
process.exit(0);
