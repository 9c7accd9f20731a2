import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { pngOf } from '../helpers/png.js';
import { attachedFiles, attachments, fileOffers } from '../../commands/input/attached-files.js';
import { runOwnCommand, ShownOutput, toldCommand } from '../../commands/seat/own-command.js';
import { mentionedPaths, ownCommand } from '../../src/human/index.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'hitl-own-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

const place = (env: Record<string, string> = {}) => ({ cwd, home: cwd, env });

describe('a line of the person', () => {
  test.for([
    ['!ls -la', 'ls -la'],
    ['  !  pwd ', 'pwd'],
    ['!', undefined],
    ['wow!', undefined],
  ] as const)('%j is the command %j', ([line, command]) => {
    expect(ownCommand(line)).toBe(command);
  });

  test('names files behind an `@` at the start of a word', () => {
    expect(mentionedPaths('compare @src/a.ts with @"b c.md", and mail ann@example.com @src/a.ts')).toEqual([
      'src/a.ts',
      'b c.md',
    ]);
  });
});

describe('files that a message names', () => {
  test('are attached between fences that they do not hold, and told', async () => {
    writeFileSync(join(cwd, 'a.md'), '```js\nx\n```\n');
    expect(await attachedFiles(place(), 'Look at @a.md.')).toEqual({
      parts: [{ type: 'text', text: 'The file a.md:\n````\n```js\nx\n```\n````' }],
      notices: ['attached a.md (3 lines)'],
    });
  });

  test('are left as words where there is no file, and told where they do not fit', async () => {
    writeFileSync(join(cwd, 'big.txt'), 'x'.repeat(300_000));
    writeFileSync(join(cwd, 'image.png'), Buffer.from([0x89, 0, 1]));
    mkdirSync(join(cwd, 'folder'));
    expect(await attachedFiles(place(), 'ask @ann about @big.txt @image.png @folder')).toEqual({
      parts: [],
      notices: ['not attached: big.txt is larger than 256 kB', 'not attached: image.png is not text'],
    });
  });

  test('are images and PDFs where their bytes say so, whatever they are called, and are told with their size', async () => {
    const png = pngOf(640, 480);
    writeFileSync(join(cwd, 'shot.txt'), png);
    writeFileSync(join(cwd, 'doc.pdf'), '%PDF-1.7\n');
    writeFileSync(join(cwd, 'wide.png'), pngOf(9000, 1));
    const image = {
      type: 'media',
      url: `data:image/png;base64,${png.toString('base64')}`,
      contentType: 'image/png',
      metadata: { file: { name: 'shot.txt' } },
    };
    const text = 'See @shot.txt and @wide.png';
    expect(await attachedFiles(place(), text)).toEqual({
      parts: [{ type: 'text', text: 'The file shot.txt:' }, image],
      notices: [
        'attached shot.txt (image 640×480 33 bytes)',
        'not attached: wide.png has 9000×1 pixels; the maximum is 8000 per side',
      ],
    });
    expect(await attachedFiles(place(), '@doc.pdf @shot.txt', { takesMedia: false })).toEqual({
      parts: [],
      notices: [
        'not attached: doc.pdf is a PDF, but this model only reads text',
        'not attached: shot.txt is an image, but this model only reads text',
      ],
    });
  });

  test.for([
    [{ attach: ['gone.png'] }, 'go', 'file to attach not found: `gone.png`'],
    [
      { attach: ['wide.png'] },
      'go',
      'not attached: wide.png has 9000×1 pixels; the maximum is 8000 per side',
    ],
    [{ attach: ['wide.png'] }, undefined, '`--attach` requires a message'],
  ] as const)('of a command line are refused in words: %j', async ([flags, prompt, message]) => {
    writeFileSync(join(cwd, 'wide.png'), pngOf(9000, 1));
    await expect(attachments(place(), flags, { prompt, model: {} })).rejects.toThrow(message);
  });

  test('hold no secret of the environment', async () => {
    writeFileSync(join(cwd, 'env.txt'), 'the token is hunter2hunter2\n');
    const { parts, notices } = await attachedFiles(place({ MY_TOKEN: 'hunter2hunter2' }), '@env.txt');
    expect(JSON.stringify(parts)).not.toContain('hunter2');
    expect(notices).toEqual(['attached env.txt (1 line, 1 secret masked)']);
  });

  test('are offered as one types, folders with their slash, hidden ones only when asked for', () => {
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src', 'cart.js'), '');
    writeFileSync(join(cwd, 'start.md'), '');
    writeFileSync(join(cwd, '.env'), '');
    const offers = fileOffers(place());
    expect(offers('look at @s')).toEqual([
      { line: 'look at @src/', label: '@src/', help: 'folder' },
      { line: 'look at @start.md', label: '@start.md', help: '' },
    ]);
    expect(offers('@src/c').map(({ line }) => line)).toEqual(['@src/cart.js']);
    expect(offers('@').map(({ line }) => line)).toEqual(['@src/', '@start.md']);
    expect(offers('@.').map(({ line }) => line)).toEqual(['@.env']);
    expect(offers('a word')).toEqual([]);
    expect(offers('@none/x')).toEqual([]);
  });
});

describe('a command of the person', () => {
  const run = (command: string, signal = new AbortController().signal) => {
    const shown: string[] = [];
    const output = new ShownOutput((text) => {
      shown.push(text);
    });
    const end = runOwnCommand(
      { cwd, env: { PATH: process.env['PATH'], SHELL: '/bin/sh' } },
      command,
      (text) => {
        output.push(text);
      },
      signal,
    ).then((ended) => {
      output.end();
      return ended;
    });
    return { end, shown };
  };

  test('gets no file that whoever started the program had left open', () => {
    const script = `
      const { runOwnCommand } = await import(${JSON.stringify(resolve('commands/seat/own-command.ts'))});
      const { readlinkSync } = await import('node:fs');
      console.log(readlinkSync('/proc/self/fd/30'));
      const place = { cwd: '/', env: { PATH: process.env.PATH, SHELL: '/bin/sh' } };
      const command = 'readlink /proc/$$/fd/30';
      await runOwnCommand(place, command, (text) => process.stdout.write(text), new AbortController().signal);`;
    const left = openSync(cwd, 'r');
    try {
      const ignored = Array.from({ length: 27 }, () => 'ignore' as const);
      const child = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit', ...ignored, left],
      });
      expect(String(child.stdout).trim().split('\n')).toEqual([realpathSync(cwd), '/dev/null']);
    } finally {
      closeSync(left);
    }
  });

  test('shows what it prints, safe for a terminal, and says how it ended', async () => {
    const { end, shown } = run(String.raw`printf 'one\n\033[2Jtwo'; echo err >&2; exit 3`);
    expect(await end).toMatchObject({ how: 'exit 3' });
    expect(shown.join('')).toContain('  one\n');
    expect(shown.join('')).not.toContain('\u001b');
  });

  test('is told to the model in the name of the person, without secrets', async () => {
    const { end } = run('echo token=hunter2hunter2');
    const told = toldCommand({ env: { MY_TOKEN: 'hunter2hunter2' } }, 'echo token=…', await end);
    expect(told).toMatch(/^I ran `echo token=…` myself \(exit 0\)\. It printed:\n/);
    expect(told).not.toContain('hunter2');
  });

  test('ends with all that it started when the person stops it', async () => {
    const stop = new AbortController();
    const { end } = run('sleep 600 & sleep 600', stop.signal);
    stop.abort();
    expect(await end).toMatchObject({ how: 'ended by SIGTERM' });
  });
});
