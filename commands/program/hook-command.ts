import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { Option } from '@commander-js/extra-typings';
import { valueOf } from '../flags/flag-values.js';
import { addSessionOptions } from '../flags/options.js';
import { hookOfClaudeCode, hookOfCodex } from '../hook.js';
import type { Runs } from './command-parts.js';
import { examples } from './command-parts.js';

/** Defines `hitl hook`: what other agents start before their calls. */
export function hookCommand(program: Command, runs: Runs): CommandUnknownOpts {
  const row = program
    .command('hook')
    .description('Decide the calls of other agents by your rules, or ask you')
    .addHelpText('before', examples(['hitl hook claude-code < event.json', 'hitl inbox']));
  agent(row.command('claude-code'))
    .description('Answer one event of Claude Code’s hooks (JSON on stdin)')
    .action(runs(() => hookOfClaudeCode));
  agent(row.command('codex'))
    .description('Answer one event of Codex’s hooks (JSON on stdin)')
    .action(runs(() => hookOfCodex));
  return row;
}

function agent(row: Command) {
  return addSessionOptions(row)
    .addOption(
      new Option('--wait <duration>', 'how long to wait for an answer: 55s, 5m').argParser(
        valueOf({ type: 'duration' }),
      ),
    )
    .addOption(
      new Option('--on-error <word>', 'what the agent hears if hitl fails (default: ask)').choices([
        'ask',
        'deny',
      ] as const),
    );
}
