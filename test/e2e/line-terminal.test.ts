import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';

const ASK = 'Transfer 200 to ABC123';
const ANSWER = 'Your answer: ';
const CTRL_D = '\u0004';
/** What moves a cursor, paints or clears. */
const CONTROL = '\u001b[';

describe.skipIf(process.platform === 'win32')(
  'a chat on a terminal that takes lines',
  { concurrent: true },
  () => {
    test.for([
      ['TERM=dumb', { TERM: 'dumb' }, []],
      ['HITL_ACCESSIBLE=1', { HITL_ACCESSIBLE: '1' }, []],
      ['--accessible', {}, ['--accessible']],
    ] as const)(
      'asks in lines, takes one line as the answer, and draws nothing, by %s',
      async ([, env, flags]) => {
        using home = new Home();
        using terminal = new Terminal(home, ['chat', ...flags], env);
        await terminal.until('>');
        terminal.type(ASK);
        await terminal.until(ANSWER.trim());
        terminal.type('perhaps');
        await terminal.until('cancel [reason]\nYour answer:');
        expect(home.transfers()).toEqual([]);
        terminal.type('y');
        await terminal.until('Transferred 200 to ABC123');
        expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 200 }]);
        await terminal.press(CTRL_D);
        expect(await terminal.ended).toBe(0);
        expect(terminal.output).not.toContain(CONTROL);
      },
    );
  },
);

describe.skipIf(process.platform === 'win32')('a person who types lines', () => {
  test('approves nothing with a line that came before the question: it is the next message', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat'], { TERM: 'dumb' });
    await terminal.until('>');
    terminal.type(`${ASK}\ry`);
    await terminal.until('is sent afterwards');
    expect(home.transfers()).toEqual([]);
    await terminal.until(ANSWER.trim());
    await terminal.press(CTRL_D);
    expect(await terminal.ended).toBe(3);
    expect(home.transfers()).toEqual([]);
  });

  test('is told where `--no-input` leaves nothing to do, with a status that is not 0', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat', '--no-input']);
    expect(await terminal.ended).toBe(2);
    await terminal.until('nothing was said to the model: `--no-input` asks nobody');
  });
});
