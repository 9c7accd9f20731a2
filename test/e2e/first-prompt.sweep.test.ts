import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { spawn } from '@lydell/node-pty';
import { describe, expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';

/** On the screen, where blanks at the end of a row are not seen. */
const PROMPT = '\n>';
const VERSION = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const FIRST_LINES = [
  `hitl ${VERSION.version} · demo model (scripted, no API key needed) · ~ · /help`,
  'Try  Transfer 200 to ABC123  ·  Plan a barbecue  ·  Run echo hello',
];
const STATUS = 'ask · demo model · ~';
/** What is told to the terminal when somebody may type into it, and then no longer. */
const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const CTRL_D = '\u0004';

describe('the first prompt of a chat', () => {
  test('is drawn with commander and chalk, and without any other package', async () => {
    using home = new Home();
    const loaded = join(home.path, 'loaded.json');
    const probe = join(home.path, 'probe.cjs');
    // Ends the program as soon as it has drawn its prompt.
    writeFileSync(
      probe,
      `const write = process.stderr.write;
process.stderr.write = function (text, ...more) {
  const done = write.call(this, text, ...more);
  if (!String(text).includes('> ')) return done;
  require('node:fs').writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(Object.keys(require.cache)));
  process.exit(0);
};`,
    );
    const terminal = spawn(process.execPath, ['--require', probe, PROGRAM, 'chat'], { env: home.env });
    const status = await new Promise((resolve) => {
      terminal.onExit(({ exitCode }) => {
        resolve(exitCode);
      });
    });
    expect(status).toBe(0);
    const files = JSON.parse(readFileSync(loaded, 'utf8')) as string[];
    const packages = files.filter((file) => /\/(?:packages|node_modules)\/.*\.all\.js$/u.test(file));
    expect(packages.map((file) => basename(file, '.all.js'))).toEqual(['commander', 'chalk']);
  });

  test('takes what was typed before it was there, of which nothing stands in another text', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat']);
    terminal.typeAhead('Transfer 5'); // before the program has begun
    await terminal.until('> Transfer 5');
    await terminal.until(STATUS);
    expect(terminal.shown.split('\n')).toEqual([...FIRST_LINES, '> Transfer 5', STATUS]);
  });

  test('stands between what says where one is and what to type, and what stays in sight', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat']);
    await terminal.until(STATUS);
    expect(terminal.shown.split('\n')).toEqual([...FIRST_LINES, '> ', STATUS]);
    await terminal.press(CTRL_D);
    await terminal.ended;
  });

  test('has nothing below it where the configuration says so', async () => {
    using home = new Home();
    writeFileSync(join(home.path, 'config.json'), '{ "statusLine": false }');
    using terminal = new Terminal(home, ['chat']);
    await terminal.until(PROMPT);
    expect(terminal.shown.split('\n')).toEqual([...FIRST_LINES, '>']);
    await terminal.press(CTRL_D);
    await terminal.ended;
  });

  test('takes what was typed while the rest was loaded (E2)', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat']);
    await terminal.until(PROMPT);
    terminal.type('Transfer 20 to ABC123');
    await terminal.until('Transferred 20 to ABC123');
    await terminal.press(CTRL_D);
    expect(await terminal.ended).toBe(0);
    expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 20 }]);
  });

  test.for([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('is taken away by a %s before the rest is loaded (E1)', async ([signal, status]) => {
    using home = new Home();
    const probe = join(home.path, 'probe.cjs');
    writeFileSync(
      probe,
      `const { write } = process.stderr;
process.stderr.write = function (text, ...more) {
  const done = write.call(this, text, ...more);
  if (String(text).includes('> ')) process.kill(process.pid, '${signal}');
  return done;
};`,
    );
    const terminal = spawn(process.execPath, ['--require', probe, PROGRAM, 'chat'], { env: home.env });
    let output = '';
    terminal.onData((data) => {
      output += data;
    });
    const ended = await new Promise((resolve) => {
      terminal.onExit(({ exitCode }) => {
        resolve(exitCode);
      });
    });
    expect(ended).toBe(status);
    expect(output.split(PASTE_ON)).toHaveLength(2);
    expect(output).toContain(PASTE_OFF);
    expect(output).not.toContain('error:');
    expect(home.ids()).toEqual([]);
  });

  test('leaves no session where nothing is said', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat']);
    await terminal.until(PROMPT);
    await terminal.press(CTRL_D);
    expect(await terminal.ended).toBe(0);
    expect(home.ids()).toEqual([]);
    expect(terminal.shown).toBe(FIRST_LINES.join('\n'));
  });

  test('is taken away where the session cannot be made (E1)', async () => {
    using home = new Home();
    writeFileSync(home.sessions, 'a file');
    using terminal = new Terminal(home, ['chat']);
    expect(await terminal.ended).toBe(6);
    await terminal.until('error: could not save a new session');
    expect(terminal.shown.split('\n').slice(0, 3)).toEqual([
      ...FIRST_LINES,
      expect.stringMatching(/^error: /u),
    ]);
    const [, drawn = ''] = terminal.output.split(PASTE_ON);
    expect(drawn.split(PASTE_OFF)).toEqual([
      expect.stringContaining('> '),
      expect.stringContaining('error: '),
    ]);
  });

  test.for([
    [['--model', 'nobody'], 2, 'unknown model `nobody`'],
    [['--model', 'anthropic'], 2, 'missing Anthropic API key'],
    [['--model', 'anthropic', '--base-url', 'ftp://here'], 2, 'the base URL is not an http or https URL'],
    [['--model', 'demo', '--base-url', 'http://127.0.0.1:9'], 2, 'cannot be used together'],
    [['--model', 'openai:gpt-5'], 2, 'ai-sdk:@ai-sdk/openai/gpt-5'],
    [['--model', 'script:none.json'], 2, 'cannot read the script `none.json`'],
    [['--yes', 'nothing'], 2, '`--yes nothing`: unknown tool'],
    [['--system', '@none.md'], 2, 'cannot read the system prompt'],
    [['--tools', 'none.js'], 2, 'none.js'],
  ] as const)('is not drawn with %j', async ([flags, status, message]) => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat', ...flags]);
    expect(await terminal.ended).toBe(status);
    await terminal.until(message);
    expect(terminal.output).not.toContain(PASTE_ON);
  });

  test('is not drawn with a configuration that does not fit', async () => {
    using home = new Home();
    writeFileSync(join(home.path, 'config.json'), '{ "maxTurns": 0 }');
    using terminal = new Terminal(home, ['chat']);
    expect(await terminal.ended).toBe(2);
    await terminal.until('error: invalid configuration `');
    await terminal.until(/line 1: maxTurns:\s+must\s+be\s+a\s+whole\s+number\s+from\s+1\s+to\s+1000/u);
    expect(terminal.output).not.toContain(PASTE_ON);
  });
});
