// Which bytes approve in the built program, in a real terminal.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { UNTYPED } from './untyped.js';
import { pause, WatchedTerminal } from './watched-terminal.js';

test.skipIf(process.platform === 'win32')(
  'G30: early keys, pastes and reports approve nothing in the built program, and a deliberate key does',
  async () => {
    using home = new Home();
    using terminal = new WatchedTerminal(home, ['chat', 'Transfer 200 to ABC123']);
    await terminal.until('Approve this call?');
    for (const ms of [0, 50, 50]) {
      await pause(ms);
      terminal.send('y');
    }
    for (const bytes of Object.values(UNTYPED)) {
      await pause(120);
      terminal.send(bytes);
    }
    await pause(600);
    expect(home.events().map(({ type }) => type)).not.toContain('interrupt-resolved');
    await pause(1500);
    await terminal.press('y');
    await terminal.wrote('Transferred 200');
    await terminal.until('> ');
    expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 200 }]);
    await terminal.press('\u0004');
    await terminal.ended;
  },
);

test.skipIf(process.platform === 'win32')(
  'a long change that is approved unread is recorded so in the built program, and `why` tells it',
  async () => {
    using home = new Home();
    const content = Array.from({ length: 200 }, (_, at) => `line ${at}\n`).join('');
    const script = join(home.path, 'replies.jsonl');
    const write = { name: 'write_file', input: { path: 'long.txt', content } };
    writeFileSync(script, `${JSON.stringify({ tools: [write] })}\n{"text":"Written."}\n`);
    using terminal = new WatchedTerminal(home, ['chat', '--model', `script:${script}`, 'Write it']);
    await terminal.until('u unread…');
    await terminal.press('u');
    await terminal.until('type approve:');
    for (const letter of 'approve') await terminal.press(letter);
    await terminal.press('\r');
    await terminal.wrote('Written.');
    await terminal.until('> ');
    await terminal.press('\u0004');
    await terminal.ended;
    const resolved = home.events().find(({ type }) => type === 'interrupt-resolved');
    expect(resolved).toMatchObject({ resolution: { action: 'restart' }, unread: { of: 200 } });
    const why = await home.run(['why', home.id]);
    expect(why.stdout).toMatch(/approved by .*\(\d+ of 200 rows not shown\)/u);
  },
);
