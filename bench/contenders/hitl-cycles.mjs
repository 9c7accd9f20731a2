import disk, { statSync } from 'node:fs';
import path from 'node:path';

import * as z from 'zod';

import { product } from '../harness/places.mjs';
import { answerOf, Cycles, NO_WARM_UP, warmAndMeasure } from './cycles.mjs';
import { countingModel, runOptions, SAID, SILENT, temporaryStore } from './hitl-engine.mjs';

const { converse, defineInterrupt, defineTool } = await product('lib/index.js');

const person = { type: 'person', name: 'bench', via: 'terminal' };

function tools(bytes) {
  if (bytes > 0) return [defineInterrupt({ name: 'ask', description: 'Asks.', output: z.string() })];
  const input = z.object({ n: z.number() });
  const definition = { name: 'pay', description: 'Pays.', input, effect: 'once', needsApproval: true };
  return [defineTool(definition, ({ n }) => `paid ${n}`)];
}

/** Answers at once; a cycle ends where the next question comes. */
function channel(cycles, bytes) {
  let begun = false;
  const resolution = bytes > 0 ? { action: 'respond', output: answerOf(bytes) } : { action: 'restart' };
  return {
    async ask([{ id, digest }]) {
      if (begun) cycles.end();
      begun = true;
      cycles.begin();
      return { type: 'answered', answer: { id, digest, resolution, by: person } };
    },
  };
}

/** Has the disk count how often it is asked to flush, and do so or not. */
function countFlushes(flush) {
  const counts = { flushes: 0 };
  const { fdatasync, fdatasyncSync } = disk;
  disk.fdatasync = (fd, done) => {
    counts.flushes += 1;
    if (flush) fdatasync(fd, done);
    else done(null);
  };
  disk.fdatasyncSync = (fd) => {
    counts.flushes += 1;
    if (flush) fdatasyncSync(fd);
  };
  if (!flush) disk.fsync = (_fd, done) => done(null);
  const stop = () => Object.assign(disk, { fdatasync, fdatasyncSync });
  return { counts, stop };
}

async function conversation(count, { bytes, flush, tell }) {
  const { counts, stop } = countFlushes(flush);
  const { root, store, remove } = await temporaryStore();
  const cycles = new Cycles(tell);
  const name = bytes > 0 ? 'ask' : 'pay';
  const input = bytes > 0 ? () => ({}) : (n) => ({ n });
  const session = await store.create({ agent: { model: 'counting', tools: [] } });
  await session.append([SAID]);
  const file = path.join(root, session.id, 'journal.jsonl');
  const before = { flushes: counts.flushes, bytes: statSync(file).size };
  const options = {
    session,
    run: runOptions(countingModel(count + 1, { name, input }), tools(bytes)),
    channel: channel(cycles, bytes),
    renderer: SILENT,
  };
  const rest = await converse(options, new AbortController().signal);
  if (rest.type !== 'ended' || rest.reason.type !== 'done') throw new Error(JSON.stringify(rest));
  const numbers = cycles.numbers({
    kbPerCycle: (statSync(file).size - before.bytes) / 1024 / count,
    flushesPerCycle: (counts.flushes - before.flushes) / count,
  });
  await session[Symbol.asyncDispose]();
  stop();
  remove();
  return numbers;
}

/** @param params `{ cycles, bytes?, flush?, counted? }` */
export async function measure({ cycles, bytes = 0, flush = true, counted = false }, tellAll) {
  const converse = (count, tell) => conversation(count, { bytes, flush, tell });
  return warmAndMeasure(converse, cycles, tellAll, counted ? NO_WARM_UP : undefined);
}
