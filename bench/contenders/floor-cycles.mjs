import {
  closeSync,
  fdatasync,
  fsyncSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { answerOf, Cycles, NO_WARM_UP, warmAndMeasure } from './cycles.mjs';

const flush = promisify(fdatasync);

/** Where a floor keeps its messages. */
const keepers = {
  memory: () => ({ keep: async () => undefined, close: () => undefined, bytes: () => 0 }),

  /** One line a message, and a flush before anything goes on. */
  append(folder) {
    const fd = openSync(path.join(folder, 'log'), 'a');
    let bytes = 0;
    return {
      async keep(added) {
        bytes += writeSync(fd, added.map((message) => `${JSON.stringify(message)}\n`).join(''));
        await flush(fd);
      },
      close: () => closeSync(fd),
      bytes: () => bytes,
    };
  },

  /** All messages each time, in a new file that takes the place of the old one. */
  rewrite(folder) {
    let bytes = 0;
    return {
      async keep(_added, all) {
        const fd = openSync(path.join(folder, 'new'), 'w');
        bytes += writeSync(fd, JSON.stringify(all));
        fsyncSync(fd);
        closeSync(fd);
        renameSync(path.join(folder, 'new'), path.join(folder, 'all'));
      },
      close: () => undefined,
      bytes: () => bytes,
    };
  },
};

/** Question, answer, result: kept before the person is asked, and before the model hears of it. */
async function conversation(count, { how, bytes, tell }) {
  const folder = mkdtempSync(path.join(process.env.BENCH_TMP ?? tmpdir(), 'hitl-bench-'));
  const { keep, close, bytes: written } = keepers[how](folder);
  const cycles = new Cycles(tell);
  const messages = [];
  for (let n = 1; n <= count; n += 1) {
    cycles.begin();
    const asked = {
      role: 'model',
      content: [{ type: 'tool-request', ref: `call_${n}`, name: 'pay', input: { n } }],
    };
    messages.push(asked);
    await keep([asked], messages);
    const output = answerOf(bytes);
    const answered = {
      role: 'tool',
      content: [{ type: 'tool-response', ref: `call_${n}`, name: 'pay', output }],
    };
    messages.push(answered);
    await keep([answered], messages);
    cycles.end();
  }
  close();
  rmSync(folder, { recursive: true });
  return cycles.numbers({ kbPerCycle: written() / 1024 / count });
}

/** @param params `{ cycles, how: 'memory' | 'append' | 'rewrite', bytes?, counted? }` */
export async function measure({ cycles, how, bytes = 0, counted = false }, tellAll) {
  const converse = (count, tell) => conversation(count, { how, bytes, tell });
  return warmAndMeasure(converse, cycles, tellAll, counted ? NO_WARM_UP : undefined);
}
