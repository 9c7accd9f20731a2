import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import * as z from 'zod';

import { inputOf, perTurn, QUESTION } from './conversation.mjs';

const schema = z.object({ a: z.number(), b: z.number() });
const tools = new Map([['add', { schema, run: async ({ a, b }) => a + b }]]);

async function model(messages, turn, turns) {
  if (turn > turns) return { role: 'model', content: [{ type: 'text', text: 'Done.' }] };
  return {
    role: 'model',
    content: [{ type: 'tool-request', ref: `call_${turn}`, name: 'add', input: inputOf(turn) }],
  };
}

/** The least that can be called an agent: ask, check the input, run, answer. */
async function bareLoop(turns, log = () => undefined) {
  const messages = [];
  const say = (message) => {
    messages.push(message);
    log(message);
  };
  say({ role: 'user', content: [{ type: 'text', text: QUESTION }] });
  for (let turn = 1; ; turn += 1) {
    const reply = await model(messages, turn, turns);
    say(reply);
    const requests = reply.content.filter(({ type }) => type === 'tool-request');
    if (requests.length === 0) return messages;
    const content = await Promise.all(
      requests.map(async ({ ref, name, input }) => {
        const tool = tools.get(name);
        const output = await tool.run(tool.schema.parse(input));
        return { type: 'tool-response', ref, name, output };
      }),
    );
    say({ role: 'tool', content });
  }
}

async function logged(turns, file) {
  const fd = openSync(file, 'a');
  await bareLoop(turns, (message) => writeSync(fd, `${JSON.stringify(message)}\n`));
  closeSync(fd);
}

/** @param params `{ turns, how: 'bare' | 'log' }` */
export async function measure({ turns, how, warmUp }) {
  if (how === 'bare') return perTurn(turns, bareLoop, warmUp);
  const folder = mkdtempSync(path.join(process.env.BENCH_TMP ?? tmpdir(), 'hitl-bench-'));
  try {
    return await perTurn(turns, (count) => logged(count, path.join(folder, 'log')), warmUp);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
