// The command line: values that look like options, options that look like values, and anything else.
import { PassThrough } from 'node:stream';

import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import fc from 'fast-check';
import { expect } from 'vitest';

import type { Io } from '../../commands/host/io.js';
import { main, buildProgram } from '../../commands/program/main.js';
import { fakeClock } from '../../src/testing/index.js';
import { hostileText } from '../render/hostile.js';
import { temporaryFolder } from '../sessions/temporary-store.js';
import { fuzzTarget } from './fuzz.js';

/** Values as an attacker writes them into a link, a file name, a prompt. */
const values = fc.oneof(
  fc.constantFrom(
    '--yes',
    '--yes=pay',
    '--dangerously-approve-all',
    '--tools=./evil.js',
    '-t',
    '--trust',
    '--',
    '-',
    '-p',
    '--answer=i1=y',
    '--no-save',
    '--sessions',
    '-rf',
    '@',
    '=',
    '',
  ),
  fc.string({ maxLength: 10 }),
  fc.string({ maxLength: 6 }).map((text) => `-${text}`),
  fc.string({ maxLength: 6 }).map((text) => `--${text}`),
);

interface Parsed {
  readonly command: string;
  readonly args: readonly unknown[];
  readonly flags: Readonly<Record<string, unknown>>;
}

function ioOf(folder: string): { readonly io: Io; readonly written: () => string } {
  let written = '';
  const stream = () => {
    const out = new PassThrough();
    out.on('data', (chunk: Buffer) => {
      written += chunk.toString();
    });
    return out as unknown as NodeJS.WriteStream;
  };
  const stdin = new PassThrough();
  stdin.end();
  const io: Io = {
    stdin: stdin as unknown as Io['stdin'],
    stdout: stream(),
    stderr: stream(),
    env: { HITL_SESSIONS: folder, NO_COLOR: '1' },
    cwd: folder,
    home: folder,
    pid: 1,
    clock: fakeClock(),
    random: () => 0.5,
  };
  return { io, written: () => written };
}

/** What the program makes of words, without doing it; `undefined` where it refuses them. */
async function parsed(words: readonly string[], folder: string): Promise<Parsed | undefined> {
  const { command: program } = buildProgram(ioOf(folder).io, '0');
  let found: Parsed | undefined;
  const watch = (one: Command): void => {
    one.action((...given: unknown[]) => {
      found = {
        command: one.name(),
        args: given.slice(0, -2).filter((arg) => arg !== undefined),
        flags: one.opts(),
      };
    });
  };
  for (const one of program.commands) {
    for (const inner of one.commands) watch(inner);
    if (one.commands.length === 0) watch(one);
  }
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch {
    return undefined; // commander's own error: nothing runs
  }
  return found;
}

const ONE_ID = ['show', 'export', 'why', 'resume'] as const;
const TEXT_FLAGS = [
  ['--message', 'message'],
  ['--system', 'system'],
  ['--model', 'model'],
  ['--base-url', 'baseUrl'],
  ['--sessions', 'sessions'],
  ['--answers', 'answers'],
] as const;

fuzzTarget('arguments', {
  'a value is a value: behind `=` and behind `--` it sets nothing else (T9)': {
    runs: 60,
    property: async () => {
      const folder = temporaryFolder();
      const plain = (await parsed(['chat'], folder))?.flags;
      return fc.asyncProperty(
        fc.constantFrom(...TEXT_FLAGS),
        values,
        values,
        async ([flag, key], value, prompt) => {
          const found = await parsed(['chat', `${flag}=${value}`, '--', prompt], folder);
          expect(found).toEqual({ command: 'chat', args: [[prompt]], flags: { ...plain, [key]: value } });
          return true;
        },
      );
    },
  },
  'a word that begins with `-` is never taken for the id of a session, unless `--` stands before it (T9)': {
    runs: 60,
    property: async () => {
      const folder = temporaryFolder();
      const defaults = new Map<string, unknown>();
      for (const command of ONE_ID) defaults.set(command, (await parsed([command, 'x'], folder))?.flags);
      return fc.asyncProperty(fc.constantFrom(...ONE_ID), values, async (command, value) => {
        const behind = await parsed([command, '--', value], folder);
        expect(behind).toEqual({ command, args: [value], flags: defaults.get(command) });
        const before = await parsed([command, value], folder);
        // commander lets negative numbers through; the store refuses them, as no id begins so.
        if (/^-[^\d.]/u.test(value)) expect(before?.args[0]).not.toBe(value);
        return true;
      });
    },
  },
  'nothing approves but the flags that say so, written out (T9, G35)': {
    runs: 60,
    property: async () => {
      const folder = temporaryFolder();
      const word = fc.oneof(
        values,
        fc.constantFrom('--message', '--system', '--model', '-m', '--json', '-q', 'hello'),
      );
      return fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
        const found = await parsed(['chat', ...words], folder);
        if (found === undefined) return true;
        const end = words.indexOf('--');
        const heads = (end === -1 ? words : words.slice(0, end)).map((one) => one.split('=')[0]);
        const { dangerouslyApproveAll, yes, trust } = found.flags;
        if (dangerouslyApproveAll !== undefined) expect(heads).toContain('--dangerously-approve-all');
        if (yes !== undefined) expect(heads).toContain('--yes');
        if (trust === true) expect(heads).toContain('--trust');
        return true;
      });
    },
  },
  'what is wrong with the words is told in words of ours, escaped (G31)': {
    runs: 60,
    property: () => {
      const folder = temporaryFolder();
      const command = fc.constantFrom(
        'show',
        'why',
        'rm',
        'export',
        'resume',
        'doctor',
        'audit',
        'list',
        'nonsense',
        'help',
        'answer',
      );
      return fc.asyncProperty(
        command,
        fc.array(fc.oneof(hostileText(), values), { minLength: 1, maxLength: 3 }),
        async (first, words) => {
          const { io, written } = ioOf(folder);
          const status = await main([first, ...words.map((text) => text.replaceAll('\0', ''))], io);
          expect([0, 1, 2, 3, 4, 5, 6, 8]).toContain(status);
          expect(written()).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}]/u);
          return true;
        },
      );
    },
  },
});
