import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
    await terminal.until('sent as messages later');
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
    await terminal.until('no message: `--no-input` disables prompts');
  });
});

describe.skipIf(process.platform === 'win32')('a form on a terminal that takes lines', () => {
  const fields = [
    { name: 'version', label: 'Version', type: 'text' },
    { name: 'copies', label: 'How many copies?', type: 'number' },
    { name: 'draft', label: 'Is it a draft?', type: 'yes-no', optional: true },
  ];

  test('asks for each field by its label, and again for what does not fit', async () => {
    using home = new Home();
    const script = join(home.path, 'replies.jsonl');
    const ask = { name: 'ask_user', input: { question: 'What shall we print?', fields } };
    writeFileSync(script, `${JSON.stringify({ tools: [ask] })}\n{"text":"Printed."}\n`);
    using terminal = new Terminal(home, ['chat', '--model', `script:${script}`, 'Print it'], {
      TERM: 'dumb',
    });
    await terminal.until('(Enter to fill in each field):');
    terminal.type('');
    await terminal.until('Version:');
    terminal.type('1.5');
    await terminal.until('How many copies? [copies]  (a number):');
    terminal.type('many');
    await terminal.until(': Invalid: Enter a number\n: How many copies? [copies]  (a number):');
    terminal.type('3');
    await terminal.until('Is it a draft? [draft]  (yes or no, optional):');
    terminal.type('');
    await terminal.until('Printed.');
    const journal = readFileSync(join(home.sessions, home.id, 'journal.jsonl'), 'utf8');
    expect(/"action":"respond","output":(\{.*?\})/u.exec(journal)?.[1]).toBe('{"version":"1.5","copies":3}');
  });
});
