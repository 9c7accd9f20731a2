import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { Argument, Option } from '@commander-js/extra-typings';
import { valueOf } from '../flags/flag-values.js';
import { addCommonOptions, addSessionOptions } from '../flags/options.js';
import { hookOfClaudeCode, hookOfCodex } from '../hook.js';
import { AGENTS } from '../asking/agents.js';
import { hookStatus, installHook, uninstallHook } from '../hook-install.js';
import type { Runs } from './command-parts.js';
import { examples } from './command-parts.js';

/** Defines `hitl hook`, which other agents run before their tool calls. */
export function hookCommand(program: Command, runs: Runs): CommandUnknownOpts {
  const row = program
    .command('hook')
    .description('Decide the calls of other agents by your rules, or ask you')
    .addHelpText('before', examples(['hitl hook install claude-code', 'hitl hook status', 'hitl inbox']));
  agent(row.command('claude-code'))
    .description('Answer one event of Claude Code’s hooks (JSON on stdin)')
    .action(runs(() => hookOfClaudeCode));
  agent(row.command('codex'))
    .description('Answer one event of Codex’s hooks (JSON on stdin)')
    .action(runs(() => hookOfCodex));
  change(row.command('install'))
    .option(
      '--for <tools>',
      'tools of the agent: Bash,Edit,mcp__* (default: what changes or sends something)',
    )
    .addOption(onError())
    .description('Install the hook in an agent’s configuration, after showing the change')
    .action(runs(() => installHook));
  change(row.command('uninstall'))
    .description('Remove exactly that hook')
    .action(runs(() => uninstallHook));
  addCommonOptions(row.command('status'))
    .description('Show where hooks are installed, and when they were last heard')
    .action(runs(() => hookStatus));
  return row;
}

function change(row: Command) {
  return addCommonOptions(row)
    .addArgument(new Argument('<agent>', 'agent').choices(AGENTS))
    .option('--project', 'in the configuration of this folder instead of your own')
    .option('-y, --yes', 'change the file without asking');
}

function onError() {
  return new Option('--on-error <word>', 'what the agent hears if hitl fails (default: ask)').choices([
    'ask',
    'deny',
  ] as const);
}

function agent(row: Command) {
  return addSessionOptions(row)
    .addOption(
      new Option('--wait <duration>', 'how long to wait for an answer: 55s, 5m').argParser(
        valueOf({ type: 'duration' }),
      ),
    )
    .addOption(onError());
}
