import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';
import { scriptModel } from '../helpers/tool-module.js';

const ASK = 'Transfer 200 to ABC123';
/** A row that waits for the next turn: what is pressed before it is there may be lost. */
const PROMPT = '\n>';

describe.skipIf(process.platform === 'win32')('a chat in a terminal', { concurrent: true }, () => {
  test(
    'an edit is shown, confirmed and run once, and the transcript holds both inputs',
    { retry: 2 },
    async () => {
      using home = new Home();
      using terminal = new Terminal(home, ['chat', ASK]);
      await terminal.until('Approve this call?');
      await terminal.press('e', '\r', '\u0015', '1', '5', '0', '\r');
      await terminal.until('change again');
      expect(home.transfers()).toEqual([]);
      await terminal.press('\r', 'y');
      await terminal.until('Transferred 150 to ABC123');
      expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 150 }]);

      const { id } = home;
      await terminal.until(PROMPT);
      await terminal.press('\u0004');
      await terminal.until(`hitl resume ${id}`); // what was written last may be read after the end
      expect(await terminal.ended).toBe(0);
      const { stdout } = await home.run(['show', id]);
      expect(stdout).toMatch(/amount: 200/u);
      expect(stdout).toMatch(/amount: 150/u);
    },
  );

  test('Enter and `c`: Enter alone decides nothing, `c` cancels, and the next turn is typed', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat', ASK]);
    await terminal.until('Approve this call?');
    await terminal.press('\r', '\r');
    expect(home.events().map(({ type }) => type)).not.toContain('interrupt-resolved');
    await terminal.press('c');
    await terminal.until('cancelled');
    await terminal.until(PROMPT);
    await terminal.press('\u0004');
    expect(await terminal.ended).toBe(0);
    expect(home.transfers()).toEqual([]);
  });

  test('a SIGTERM at the prompt ends it without an error, and says how to go on', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat', 'Transfer 20 to ABC123']);
    await terminal.until('Transferred 20 to ABC123');
    await terminal.until(PROMPT);
    process.kill(terminal.pid, 'SIGTERM');
    await terminal.until(`hitl resume ${home.id}`);
    expect(await terminal.ended).toBe(143);
    expect(terminal.shown).not.toContain('error:');
  });

  test('a question with a word of a million characters is there at once, and Ctrl-C leaves it (B1)', async () => {
    using home = new Home();
    const command = `echo “${'x'.repeat(1_000_000)}`;
    const model = scriptModel(home, [{ tools: [{ name: 'run_command', input: { command } }] }]);
    using terminal = new Terminal(home, ['chat', '--model', model, '--sandbox', 'off', 'go']);
    await terminal.until('Run this command?');
    await terminal.press('y');
    await terminal.until('y read on');
    await terminal.press('\u0003', '\u0003');
    await terminal.until(`hitl resume ${home.id}`);
    expect(await terminal.ended).not.toBe(0);
  });

  test('Ctrl-C twice at a question of the tour ends the tour', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['demo']);
    await terminal.until('How many people will come');
    await terminal.press('\u0003', '\u0003');
    await terminal.until('Tour ended. Start it again: hitl demo');
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown).not.toContain('2 of 6');
  });

  test('a rule that is made at one of two questions leaves the other to the person', async () => {
    using home = new Home();
    const tools = ['one', 'two'].map((word) => ({
      name: 'run_command',
      input: { command: `touch ${word}`, writes: true },
    }));
    const model = scriptModel(home, [
      { tools },
      { text: 'That is all.', when: { toolResult: { tool: 'run_command' } } },
    ]);
    using terminal = new Terminal(home, ['chat', '--model', model, '--sandbox', 'off', 'go']);
    await terminal.until('2 commands are waiting');
    await terminal.press('1');
    await terminal.until('Run this command?');
    await terminal.press('w');
    await terminal.until('Approve, and always allow:');
    await terminal.press('t', 't');
    await terminal.until('1 approved call waiting: nothing runs until all questions are answered');
    const answers = () => home.events().filter(({ type }) => type === 'interrupt-resolved');
    expect(answers()).toMatchObject([{ by: { type: 'person' } }]);
    await terminal.press('y');
    await terminal.until('That is all.');
    expect(answers()).toMatchObject([{ by: { type: 'person' } }, { by: { type: 'person' } }]);
  });

  test('leaving an open question keeps it: the same one is there on resume', async () => {
    using home = new Home();
    using first = new Terminal(home, ['chat', ASK]);
    await first.until('Approve this call?');
    await first.press('\u0003');
    await first.until('⏸ waiting  Transfer 200 to ABC123');
    await first.press('\u0003');
    await first.until(`hitl resume ${home.id}`);
    const status = await first.ended;
    expect(status).not.toBe(0);
    using second = new Terminal(home, ['resume', '--last']);
    await second.until('Approve this call?');
    await second.press('y');
    await second.until('Transferred 200 to ABC123');
    await second.until(PROMPT);
    await second.press('\u0004');
    expect(await second.ended).toBe(0);
    expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 200 }]);
  });

  test.for([
    ['that goes on is shown when it happens', []],
    ['that ends with it is shown', ['--print']],
  ] as const)('the error of a run %s, and once', async ([, flags]) => {
    using home = new Home();
    const error = { status: 400, type: 'invalid_request_error', message: 'the script is broken' };
    using terminal = new Terminal(home, ['chat', ...flags, '--model', scriptModel(home, [{ error }]), 'go']);
    await terminal.until(error.message);
    if (flags.length === 0) {
      await terminal.until(PROMPT);
      await terminal.press('\u0004');
    }
    await terminal.until(`hitl resume ${home.id}`);
    expect(await terminal.ended).toBe(7);
    expect(terminal.shown.split(error.message)).toHaveLength(2);
    expect(terminal.shown.split('error:')).toHaveLength(2);
  });
});
