import type { Command } from 'commander';
import { Option } from 'commander';
import {
  addApprovalOptions,
  addCommonOptions,
  addOfferOptions,
  addPreviewOptions,
  addSessionOptions,
  addSettingOptions,
} from '../flags/options.js';
import type { CommandTable, Runs } from './command-parts.js';
import { examples } from './command-parts.js';
import { configCommand } from './config-command.js';
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

/** Commands about the program itself, and what is in force. */
export const INFO_COMMANDS: CommandTable = {
  tools: (program, runs) =>
    addApprovalOptions(addOfferOptions(program.command('tools'), 'tools'))
      .description('the tools that would be offered, with origin, effect, schema and rule')
      .action(runs(() => tools)),
  models: (program, runs) =>
    addSettingOptions(program.command('models'), 'models')
      .description('the models that the server offers, with limits and prices; checks key and address')
      .action(runs(() => models)),
  mcp: mcpCommand,
  rules: rulesCommand,
  config: configCommand,
  store: storeCommand,
  doctor: (program, runs) =>
    addSessionOptions(program.command('doctor'))
      .argument('[id]', 'a session to check')
      .option('--repair', 'mend what can be mended, with a backup')
      .option('--salvage', 'copy the readable part of a damaged session to a new one')
      .option('--resend', 'send what could not be sent once more')
      .description('check the installation, the model and the store, or one session')
      .action(runs(() => doctor)),
  completion: (program, runs) =>
    program
      .command('completion')
      .argument('<shell>', 'bash, zsh or fish')
      .description('print a completion script')
      .action(runs(() => completion)),
  __complete: (program, runs) =>
    program
      .command('__complete', { hidden: true })
      .argument('[words...]')
      .allowUnknownOption()
      .action(runs(() => complete)),
};

function storeCommand(program: Command, runs: Runs): Command {
  const store = program
    .command('store')
    .description(
      'the store that keeps sessions: its key, status and version, and what it is after a restore',
    );
  addCommonOptions(store.command('key'))
    .description('make the key of the database, where there is none, and say where it is')
    .option('--replace', 'the key of the database is lost: this machine’s counts in its place')
    .action(runs(() => makeStoreKey));
  addCommonOptions(store.command('status'))
    .description('show what is open, due and failing in the store, and its workers')
    .action(runs(() => storeStatus));
  agreed(addSessionOptions(store.command('upgrade')))
    .description('say that all programs that use the database are of this version')
    .action(runs(() => upgradeStore));
  agreed(addSessionOptions(store.command('restored')))
    .description('say that the database was restored from a backup: ask again about what was approved in it')
    .action(runs(() => storeRestored));
  agreed(addSessionOptions(store.command('moved')))
    .description('say that the database is the same as before, in another place: continue as before')
    .action(runs(() => storeMoved));
  return store;
}

function agreed(command: Command): Command {
  return command.option('-y, --yes', 'do it without asking');
}

function rulesCommand(program: Command, runs: Runs): Command {
  const group = program
    .command('rules')
    .description('what is allowed, asked and denied without you: list, add, remove, test')
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
  const ofSession = (): Option =>
    new Option('--session <id>', 'also what was approved for the rest of this session');
  const here = (): Option => new Option('--here', 'a rule that counts in the working directory only');
  addPreviewOptions(addSessionOptions(group.command('list', { isDefault: true })))
    .addOption(ofSession())
    .description('every rule in force here, and where it stands')
    .action(runs(() => rules));
  addOfferOptions(group.command('add'), 'rules add')
    .argument('<effect>', 'allow, ask or deny')
    .argument(
      '<rule...>',
      'a tool or *, and behind it a command (… for further arguments), a path, a host, or an input as JSON; quote those with -; to ask of several people, `needs 2 of @ops`',
    )
    .addOption(here())
    .description('add a rule to your configuration')
    .action(runs(() => addRule));
  addSessionOptions(group.command('remove'))
    .argument('<effect>', 'allow, ask or deny; always with --session')
    .argument('<rule...>', 'as `hitl rules` lists it')
    .addOption(here())
    .addOption(new Option('--session <id>', 'take back what was approved for the rest of this session'))
    .description('remove a rule from your configuration, or from a session')
    .action(runs(() => removeRule));
  addApprovalOptions(addOfferOptions(group.command('test'), 'rules test'))
    .argument('<tool>', 'the name of a tool')
    .argument('[input]', 'its input, as JSON')
    .addOption(ofSession())
    .option('--exit-code', 'a status for scripts: 0 runs or is approved, 2 refused, 3 asked, 9 denied')
    .description('what would happen to a call, and why; nothing runs')
    .action(runs(() => testRules));
  return group;
}
