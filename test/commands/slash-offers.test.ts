import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { slashOffers } from '../../commands/slash/slash.js';
import { SLASH_COMMANDS, usageOf } from '../../commands/slash/table.js';

describe('the commands that a line may become', () => {
  test('are those that begin with it, each with its argument and what it does', () => {
    expect(slashOffers('/s')).toEqual([
      { line: '/status', label: '/status', help: 'Show session, model and usage' },
      { line: '/show', label: '/show', help: 'Show the transcript' },
      {
        line: '/save',
        label: '/save',
        help: 'Write transcript.json now (the journal is always saved)',
      },
    ]);
    expect(slashOffers('/rew')).toEqual([
      {
        line: '/rewind ',
        label: '/rewind [turns] [what]',
        help: 'Go back to an earlier message, or restore files (Esc Esc)',
      },
    ]);
  });

  test('are the known arguments behind a command that has some', () => {
    expect(slashOffers('/model sonnet')).toEqual([]);
    expect(slashOffers('/model claude-sonnet-4-')).toEqual([
      {
        line: '/model anthropic:claude-sonnet-4-6',
        label: 'claude-sonnet-4-6',
        help: '1M context, $3 in, $15 out per 1M tokens',
      },
      {
        line: '/model anthropic:claude-sonnet-4-5',
        label: 'claude-sonnet-4-5',
        help: '200k context, $3 in, $15 out per 1M tokens',
      },
    ]);
    expect(slashOffers('/mode a').map(({ line }) => line)).toEqual([
      '/mode ask',
      '/mode accept-edits',
      '/mode auto',
    ]);
    expect([slashOffers('/mode ask'), slashOffers('/show x')]).toEqual([[], []]);
  });

  test.for(['', 'text', '//help', '/help', '/nothing'])('are none for %j', (line) => {
    expect(slashOffers(line)).toEqual([]);
  });
});

describe('the commands of the prompt', () => {
  test('are the ones that the guide lists, word for word', () => {
    const guide = readFileSync(new URL('../../docs/guides/prompt.md', import.meta.url), 'utf8');
    const rows = guide.split('\n').filter((line) => line.startsWith('| `/'));
    const cells = rows.map((row) => row.split(/(?<!\\)\|/u).map((cell) => cell.trim().replaceAll('`', '')));
    expect(cells.map(([, usage, help]) => [usage, help])).toEqual(
      SLASH_COMMANDS.map((command) => [usageOf(command), command.help]),
    );
  });

  test.for(SLASH_COMMANDS.map((command) => [command.name, command] as const))(
    '`/%s` has a body that runs',
    ([, command]) => {
      expect(typeof command.run).toBe('function');
    },
  );
});
