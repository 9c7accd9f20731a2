import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { Option } from '@commander-js/extra-typings';
import {
  addApprovalOptions,
  addCommonOptions,
  addOfferOptions,
  addPreviewOptions,
  addSessionOptions,
  addSettingOptions,
} from '../flags/options.js';
import type { SessionFlags } from '../flags/options.js';
import type { CommandTable, Runs } from './command-parts.js';
import { examples } from './command-parts.js';
import { configCommand } from './config-command.js';
import { hookCommand } from './hook-command.js';
import { mcpCommand } from './mcp-command.js';
import { tools } from '../tools.js';
import { models } from '../models.js';
import { doctor } from '../doctor.js';
import { completion, complete } from '../completion/index.js';
import { makeStoreKey } from '../store/store.js';
import { upgradeStore } from '../store/upgrade.js';
import { storeStatus } from '../store-status.js';
import { storeRestored, storeMoved } from '../store-origin.js';
import { rules } from '../rules.js';
import { addRule, removeRule } from '../rules-change.js';
import { testRules } from '../rules-test.js';

/** Commands about the program and its settings. */
export const INFO_COMMANDS: CommandTable = {
  tools: (program, runs) =>
    addApprovalOptions(addOfferOptions(program.command('tools'), 'tools'))
      .description('List tools with their source, effect, schema and rule')
      .action(runs(() => tools)),
  models: (program, runs) =>
    addSettingOptions(program.command('models'), 'models')
      .description('List models with limits and prices (checks key and URL)')
      .action(runs(() => models)),
  hook: hookCommand,
  mcp: mcpCommand,
  rules: rulesCommand,
  config: configCommand,
  store: storeCommand,
  doctor: (program, runs) =>
    addSessionOptions(program.command('doctor'))
      .argument('[id]', 'session to check')
      .option('--repair', 'repair problems where possible; keeps a backup')
      .option('--salvage', 'copy the readable part of a damaged session to a new session')
      .option('--resend', 'retry failed notifications')
      .description('Check the installation, the model and the store, or one session')
      .action(runs(() => doctor)),
  completion: (program, runs) =>
    program
      .command('completion')
      .argument('<shell>', 'bash, zsh or fish')
      .description('Print a completion script')
      .action(runs(() => completion)),
  __complete: (program, runs) =>
    program
      .command('__complete', { hidden: true })
      .argument('[words...]')
      .allowUnknownOption()
      .action(runs(() => (io, words: readonly string[], _flags: object) => complete(io, words, program))),
};

function storeCommand(program: Command, runs: Runs): CommandUnknownOpts {
  const store = program
    .command('store')
    .description('Manage the session store: key, status, version, restores');
  addCommonOptions(store.command('key'))
    .description('Create the database key if it is missing, and show its path')
    .option('--replace', 'replace a lost database key with this machine’s key')
    .action(runs(() => makeStoreKey));
  addCommonOptions(store.command('status'))
    .description('Show the store’s open questions, due and failing sessions, and workers')
    .action(runs(() => storeStatus));
  agreed(addSessionOptions(store.command('upgrade')))
    .description('Confirm that all programs using the database run this version')
    .action(runs(() => upgradeStore));
  agreed(addSessionOptions(store.command('restored')))
    .description('Confirm that the database was restored from a backup (approved calls ask again)')
    .action(runs(() => storeRestored));
  agreed(addSessionOptions(store.command('moved')))
    .description('Confirm that the database was only moved (sessions continue as before)')
    .action(runs(() => storeMoved));
  return store;
}

function agreed(command: Command<[], SessionFlags>) {
  return command.option('-y, --yes', 'do not ask for confirmation');
}

function rulesCommand(program: Command, runs: Runs): CommandUnknownOpts {
  const group = program
    .command('rules')
    .description('Manage rules that allow, ask about or deny calls')
    .addHelpText(
      'before',
      examples([
        'hitl rules',
        'hitl rules add deny run_command git push',
        "hitl rules add allow 'run_command npm test'",
        "hitl rules add allow 'run_command git status …'",
        "hitl rules add allow 'write_file docs/**' --here",
        'hitl rules add ask run_command git push needs 2 of @ops, not whoever asked',
        'hitl rules test run_command \'{"command":"rm -rf build"}\'',
      ]),
    );
  const ofSession = () => new Option('--session <id>', 'include rules approved for the rest of this session');
  const here = (about: string) => new Option('--here', about);
  addPreviewOptions(addSessionOptions(group.command('list', { isDefault: true })))
    .addOption(ofSession())
    .description('List the rules in effect in this folder, and where each is defined')
    .action(runs(() => rules));
  addOfferOptions(group.command('add'), 'rules add')
    .argument('<effect>', 'allow, ask or deny')
    .argument(
      '<rule...>',
      'a tool or *, followed by a command (… for further arguments), a path, a host or a JSON input; quote arguments that start with -; for several approvers: `needs 2 of @ops`',
    )
    .addOption(here('apply the rule in the working directory only'))
    .description('Add a rule to your configuration')
    .action(runs(() => addRule));
  addSessionOptions(group.command('remove'))
    .argument('<effect>', 'allow, ask or deny; with --session: always')
    .argument('<rule...>', 'rule, as listed by `hitl rules`')
    .addOption(here('remove the rule of the working directory'))
    .addOption(new Option('--session <id>', 'revoke a rule approved for the rest of this session'))
    .description('Remove a rule from your configuration, or from a session')
    .action(runs(() => removeRule));
  addApprovalOptions(addOfferOptions(group.command('test'), 'rules test'))
    .argument('<tool>', 'tool name')
    .argument('[input]', 'input, as JSON')
    .addOption(ofSession())
    .option('--exit-code', 'exit status for scripts: 0 runs or approved, 2 refused, 3 asks, 9 denied')
    .description('Show what would happen to a call, and why (runs nothing)')
    .action(runs(() => testRules));
  return group;
}
