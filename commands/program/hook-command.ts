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
    .description('Apply your rules to other agents’ calls, and ask you if needed')
    .addHelpText('before', examples(['hitl hook install claude-code', 'hitl hook status', 'hitl inbox']));
  agent(row.command('claude-code'))
    .description('Answer one Claude Code hook event (JSON on stdin)')
    .action(runs(() => hookOfClaudeCode));
  agent(row.command('codex'))
    .description('Answer one Codex hook event (JSON on stdin)')
    .action(runs(() => hookOfCodex));
  change(row.command('install'))
    .option(
      '--for <tools>',
      'agent tools to check: Bash,Edit,mcp__* (default: those that change or send something)',
    )
    .addOption(onError())
    .description('Install the hook in an agent’s configuration (shows the change first)')
    .action(runs(() => installHook));
  change(row.command('uninstall'))
    .description('Remove only that hook')
    .action(runs(() => uninstallHook));
  addCommonOptions(row.command('status'))
    .description('Show where hooks are installed, and when they last ran')
    .action(runs(() => hookStatus));
  return row;
}

function change(row: Command) {
  return addCommonOptions(row)
    .addArgument(new Argument('<agent>', 'agent').choices(AGENTS))
    .option('--project', 'use this folder’s configuration instead of your own')
    .option('-y, --yes', 'change the file without asking');
}

function onError() {
  return new Option('--on-error <word>', 'answer to the agent if hitl fails (default: ask)').choices([
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
