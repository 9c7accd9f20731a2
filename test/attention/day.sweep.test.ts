// A day in one session: 200 calls, of which one was asked about. In the evening a person looks at what went by, makes a
// rule of one of them, and on the next day it counts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { ScriptReply } from '../../src/models/script-reply.js';
import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';
import { whyNoSandbox } from './play.js';

type Call = NonNullable<ScriptReply['tools']>[number];

const noSandbox = await whyNoSandbox();

const read = (n: number): Call => ({ name: 'read_file', input: { path: `src/part-${n % 40}.ts` } });
const look = (n: number): Call => ({
  name: 'run_command',
  input: { command: `grep -c part src/part-${n % 40}.ts` },
});
const edit = (n: number): Call => ({
  name: 'edit_file',
  input: { path: `src/part-${n}.ts`, oldText: 'const old', newText: 'const now' },
});
const pay = (amount: number): Call => ({ name: 'pay', input: { to: 'ann', amount } });

interface Question {
  readonly kind: string;
  readonly source: { readonly input: unknown };
}

const PAID = [6, 13, 20, 27, 34].map((amount) => ({ to: 'ann', amount }));

/** 40 replies of five calls: 106 files read, 49 commands that only look, 40 edits, 5 payments. */
const DAY: readonly ScriptReply[] = [
  ...Array.from({ length: 40 }, (_, n) => ({
    tools: [
      read(n),
      read(n + 1),
      edit(n),
      look(n),
      n % 7 === 6 ? pay(n) : n % 4 === 1 ? look(n + 2) : read(n + 2),
    ],
  })),
  { text: 'That was the day.' },
];

test.skipIf(noSandbox !== undefined)(
  `200 calls of a day are looked at in a minute, and a rule made of one counts on the next day (${noSandbox ?? 'A3'})`,
  async () => {
    using home = new Home();
    const { module, paid } = payModule(home);
    mkdirSync(join(home.work, 'src'));
    for (let n = 0; n < 42; n += 1)
      writeFileSync(join(home.work, `src/part-${n}.ts`), `const old = ${n}; // part\n`);
    const chat = (...replies: readonly ScriptReply[]) => {
      const model = scriptModel(home, replies);
      const args = ['chat', '-p', 'Do it', '--model', model, '--tools', module, '--max-turns', '100'];
      return home.run(args, { cwd: home.work, env: { HITL_MODE: 'accept-edits' } });
    };
    expect([(await chat(...DAY)).status, paid()]).toEqual([0, PAID]);

    using evening = new Terminal(home, ['review']);
    const began = performance.now();
    await evening.until('q leave');
    const groups = evening.shown.split('\n').slice(1, 5);
    expect(groups.map((row) => row.slice(4))).toEqual([
      '40 edits in src  mode accept-edits',
      '5 pay calls  the tool does not ask',
      '106 reads  only reads',
      '49 read-only commands  changes nothing, no network',
    ]);
    await evening.press('\u001B[B', 'r'); // the payments
    await evening.until('Which rule?');
    expect(evening.shown).toContain('3. ask pay\n');
    await evening.press('3');
    await evening.until('q leave');
    await evening.press('t');
    await evening.until('tell the model: ');
    await evening.press('Ask me first.', '\r');
    await evening.until('q leave');
    await evening.press('k', 'q');
    expect(await evening.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(60_000);
    const { stdout } = await home.run(['queue', home.id, '--json']);
    const { items } = JSON.parse(stdout) as { items: readonly { text: string }[] };
    expect(items.map(({ text }) => text)).toEqual(['About “pay  ann, 6”: Ask me first.']);
    expect((await home.run(['review'])).stderr).toBe('Nothing to review.\n');

    const next = await chat({ tools: [pay(99)] }, { text: 'Paid.' });
    const asked = JSON.parse((await home.run(['inbox', '--json'])).stdout) as readonly Question[];
    expect([next.status, paid(), asked.map(({ kind, source }) => [kind, source.input])]).toEqual([
      3,
      PAID,
      [['confirmation', { to: 'ann', amount: 99 }]],
    ]);
  },
);
