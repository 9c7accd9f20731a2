import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home, lines } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';
import { scriptModel } from '../helpers/tool-module.js';

const PROMPT = '\n>';

/** What the person said, part by part. */
function said(home: Home): readonly (readonly string[])[] {
  return home.events().flatMap(({ type, message }) => {
    const { role, content } = (message ?? {}) as { role?: string; content?: readonly { text: string }[] };
    return type === 'message-added' && role === 'user' ? [(content ?? []).map(({ text }) => text)] : [];
  });
}

describe.concurrent('at the prompt', () => {
  test('`@file` is completed and attached, `!command` runs and is told only on request', async () => {
    using home = new Home();
    writeFileSync(join(home.path, 'notes.txt'), 'buy milk\n');
    const model = scriptModel(home, [{ text: 'the first reply' }, { text: 'the second reply' }]);
    using terminal = new Terminal(home, ['chat', '--model', model]);
    await terminal.until(PROMPT);
    await terminal.press('@', 'n', 'o', '\t');
    await terminal.until('> @notes.txt');
    terminal.type(' hello');
    await terminal.until('attached notes.txt (1 line)');
    await terminal.until('the first reply');
    await terminal.until(PROMPT);
    terminal.type('!echo from-my-shell');
    await terminal.until('Share this output with the model?');
    await terminal.press('n', '!');
    terminal.type('echo told-to-it');
    await terminal.until('  told-to-it\n  exit 0\n');
    await terminal.press('y');
    await terminal.until('the second reply');
    await terminal.until(PROMPT);
    await terminal.press('\u0004');
    await terminal.ended;
    expect(said(home)).toEqual([
      ['@notes.txt hello', 'The file notes.txt:\n```\nbuy milk\n```'],
      ['I ran `echo told-to-it` myself (exit 0). It printed:\ntold-to-it'],
    ]);
  });

  test('in a script both are plain text', async () => {
    using home = new Home();
    writeFileSync(join(home.path, 'notes.txt'), 'buy milk\n');
    await home.run(['chat', '--quiet'], { input: lines('@notes.txt', '!echo no'), cwd: home.path });
    expect(said(home)).toEqual([['@notes.txt'], ['!echo no']]);
  });

  test('what is typed where there is no next turn is kept in sight, answers nothing, and is told as not sent', async () => {
    using home = new Home();
    const model = scriptModel(home, [{ text: 'one moment', delayMs: 2500 }]);
    using terminal = new Terminal(home, ['chat', '--print', '--model', model, 'go']);
    await terminal.press('w', 'h', 'y');
    await terminal.until('> why');
    await terminal.until('one moment');
    expect(await terminal.ended).toBe(0);
    await terminal.until('not sent: why');
  });
});
