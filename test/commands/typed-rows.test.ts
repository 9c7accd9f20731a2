import type { Command } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';

import { addSessionOptions } from '../../commands/flags/options.js';
import type { SessionFlags } from '../../commands/flags/options.js';
import { wholeNumber } from '../../commands/flags/flag-values.js';
import type { Io } from '../../commands/host/index.js';
import type { Runs } from '../../commands/program/command-parts.js';
import { programOf } from '../../commands/program/program-of.js';

/** A body that reads flags and arguments. */
type Body<Given extends readonly unknown[]> = (io: Io, ...given: Given) => Promise<number>;

const io = { env: {}, stdout: {}, stderr: {} } as unknown as Io;

function row(program: Command) {
  return addSessionOptions(program.command('probe'))
    .argument('<id>')
    .argument('[words...]')
    .option('--all')
    .option('--limit <n>', 'rows', wholeNumber(1, 9));
}

describe('the body of a command', () => {
  test('gets what its row defines: each argument, then the flags', async () => {
    const seen: unknown[] = [];
    const probe = (
      _io: Io,
      id: string,
      words: readonly string[],
      flags: SessionFlags & { readonly all?: boolean; readonly limit?: number },
    ): Promise<number> => {
      seen.push(id, words, flags);
      return Promise.resolve(7);
    };
    const { command, status } = programOf(io, '0', {
      commands: { probe: (program, runs) => row(program).action(runs(() => probe)) },
      help: () => '',
    });
    await command.parseAsync(['probe', '01k', 'a', 'b', '--all', '--limit', '3', '--no-input'], {
      from: 'user',
    });
    expect(seen).toEqual(['01k', ['a', 'b'], { all: true, limit: 3, color: true, input: false }]);
    expect(status()).toBe(7);
  });

  test('does not compile where its row defines less or something else', () => {
    const wrong = (
      program: Command,
      runs: Runs,
      bodies: {
        readonly typo: Body<[string, readonly string[], { readonly al?: boolean }]>;
        readonly kind: Body<[string, readonly string[], { readonly limit?: string }]>;
        readonly need: Body<[string, readonly string[], { readonly limit: number }]>;
        readonly word: Body<[string, string, SessionFlags]>;
        readonly more: Body<[string, readonly string[], string, SessionFlags]>;
        readonly some: Body<[readonly string[], SessionFlags]>;
      },
    ): readonly unknown[] => [
      // @ts-expect-error -- no row has a flag `--al`
      row(program).action(runs(() => bodies.typo)),
      // @ts-expect-error -- the limit is a number
      row(program).action(runs(() => bodies.kind)),
      // @ts-expect-error -- the limit may be absent
      row(program).action(runs(() => bodies.need)),
      // @ts-expect-error -- the words are a list
      row(program).action(runs(() => bodies.word)),
      // @ts-expect-error -- there is no third argument
      row(program).action(runs(() => bodies.more)),
      // @ts-expect-error -- the id comes first
      row(program).action(runs(() => bodies.some)),
    ];
    expect(wrong).toBeInstanceOf(Function);
  });
});
