import { randomBytes } from 'node:crypto';
import disk, { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import * as z from 'zod';

import { product } from '../harness/places.mjs';
import { inputOf, perTurn, QUESTION, SCHEMA_TEXT } from './conversation.mjs';

const { converse, defineTool, emptyState, evolve, generate, run, systemClock, toolSet } =
  await product('lib/index.js');

export const SILENT = {
  event: () => undefined,
  transient: () => undefined,
  notice: () => undefined,
  pause: () => undefined,
  stopped: () => undefined,
};

export const NOBODY = { ask: async () => ({ type: 'left-open', why: 'nobody is here' }) };

/** A model that asks for one tool call a turn, and ends after so many. */
export function countingModel(turns, { name = 'add', input = inputOf } = {}) {
  let turn = 0;
  return {
    id: 'counting',
    async *generate() {
      turn += 1;
      const usage = { inputTokens: 10, outputTokens: 5 };
      if (turn > turns) {
        yield { type: 'reply', reply: { content: [{ type: 'text', text: 'Done.' }], end: 'stop', usage } };
        return;
      }
      const request = { type: 'tool-request', ref: `call_${turn}`, name, input: input(turn) };
      yield { type: 'reply', reply: { content: [request], end: 'tool-use', usage } };
    },
  };
}

const add = defineTool(
  {
    name: 'add',
    description: SCHEMA_TEXT,
    input: z.object({ a: z.number(), b: z.number() }),
    effect: 'none',
  },
  ({ a, b }) => a + b,
);

export function runOptions(model, tools) {
  const limits = { maxTurns: Number.POSITIVE_INFINITY };
  return { model, tools: toolSet(tools), clock: systemClock, runId: 'bench', limits };
}

export const SAID = {
  type: 'message-added',
  message: { role: 'user', content: [{ type: 'text', text: QUESTION }] },
};

/** The loop itself, its events kept in a list. */
async function inMemory(turns) {
  const events = [];
  const start = evolve(emptyState(), SAID);
  for await (const event of run(
    start,
    runOptions(countingModel(turns), [add]),
    new AbortController().signal,
  )) {
    if (event.durable) events.push(...event.events);
  }
  if (events.length < turns * 4) throw new Error(`${events.length} events`);
}

/** What a caller of the library writes. */
async function asLibrary(turns) {
  const { messages } = await generate({
    model: countingModel(turns),
    tools: [add],
    prompt: QUESTION,
    maxTurns: turns + 1,
  });
  if (messages.length !== turns * 2 + 2) throw new Error(`${messages.length} messages`);
}

/** Has the disk say at once that it flushed. */
export function withoutFlush() {
  disk.fsync = (_fd, done) => done(null);
  disk.fdatasync = disk.fsync;
  disk.fdatasyncSync = () => undefined;
}

/** A store in a folder for temporary files. */
export async function temporaryStore(fs, base = process.env.BENCH_TMP ?? tmpdir()) {
  const { createFileStore } = await product('lib/sessions.js');
  const root = mkdtempSync(path.join(base, 'hitl-bench-'));
  const store = createFileStore({ root, clock: systemClock, random: randomBytes, ...(fs && { fs }) });
  return { root, store, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Everything the program does for a turn but showing it, and without waiting for the disk. */
async function withJournal(turns, store) {
  const session = await store.create({ agent: { model: 'counting', tools: [], hash: 'bench' } });
  await session.append([SAID]);
  const options = {
    session,
    run: runOptions(countingModel(turns), [add]),
    channel: NOBODY,
    renderer: SILENT,
  };
  const rest = await converse(options, new AbortController().signal);
  if (rest.type !== 'ended' || rest.reason.type !== 'done') throw new Error(JSON.stringify(rest));
  await session[Symbol.asyncDispose]();
}

async function measureJournal({ turns, warmUp }) {
  withoutFlush();
  const { store, remove } = await temporaryStore();
  try {
    return await perTurn(turns, (count) => withJournal(count, store), warmUp);
  } finally {
    remove();
  }
}

/** @param params `{ turns, how: 'memory' | 'library' | 'journal' }` */
export async function measure({ turns, how, warmUp }) {
  if (how === 'journal') return measureJournal({ turns, warmUp });
  return perTurn(turns, how === 'memory' ? inMemory : asLibrary, warmUp);
}
