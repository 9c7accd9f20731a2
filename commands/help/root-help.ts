import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { rows } from './rows.js';

/** Every visible command, by group. */
export const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  Chat: ['chat', 'resume', 'acp', 'send', 'demo'],
  Answer: ['inbox', 'answer', 'ask', 'serve', 'tick', 'worker', 'pause', 'cancel', 'queue'],
  Inspect: ['list', 'show', 'why', 'review', 'audit', 'export'],
  Workflows: ['run', 'graph', 'fork', 'rewind', 'rerun', 'skip', 'test-replay', 'migrate'],
  Setup: [
    'tools',
    'models',
    'mcp',
    'hook',
    'rules',
    'config',
    'doctor',
    'store',
    'import',
    'copy',
    'rm',
    'prune',
    'completion',
  ],
};

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['hitl demo', 'Take a two-minute tour (no API key needed)'],
  ["hitl chat 'Transfer 200 to ABC123'", 'Chat; asks before it acts'],
  ['hitl resume --last', 'Continue the latest session'],
  ['hitl inbox', 'List open questions in all sessions'],
  ['hitl run examples/publish', 'Run a workflow; stops at its gates'],
];

const MORE: readonly (readonly [string, string])[] = [
  ['hitl <command> --help', 'Show a command’s options, with examples'],
  ['hitl help commands', 'List all commands, with descriptions'],
  ['hitl help <topic>', 'answers, configuration, environment, exit-codes'],
  ['hitl --version', 'Version'],
];

/** Formats the output of `hitl help`: examples, then the commands by group. It fits on a small screen. */
export function rootHelp(columns: number): string {
  const groups = Object.entries(COMMAND_GROUPS).map(([title, names]) => [title, names.join(' ')] as const);
  return [
    'Usage: hitl <command> [options]',
    '',
    'Agent sessions with a human in the loop.',
    '',
    ...rows(EXAMPLES, columns),
    '',
    ...rows(groups, columns),
    '',
    ...rows(MORE, columns),
    '',
  ].join('\n');
}

/** Lists all commands by group, with their descriptions. */
export function commandsHelp(program: Command, columns: number): string {
  const descriptions = new Map(program.commands.map((command) => [command.name(), command.description()]));
  const groups = Object.entries(COMMAND_GROUPS).map(([title, names]) => [
    `${title}:`,
    ...rows(
      names.map((name) => [name, descriptions.get(name) ?? ''] as const),
      columns,
    ),
  ]);
  return `${groups.map((group) => group.join('\n')).join('\n\n')}\n`;
}
