// Which bytes approve in the built program, in a real terminal.
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
