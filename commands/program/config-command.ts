import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { addCommonOptions, addPreviewOptions, addSettingOptions } from '../flags/options.js';
import type { Runs } from './command-parts.js';
import { examples } from './command-parts.js';
import { listConfig, getConfig, configPath } from '../config.js';
import { setConfig, unsetConfig, editConfig } from '../config-change.js';

/** Defines `hitl config` and its subcommands. */
export function configCommand(program: Command, runs: Runs): CommandUnknownOpts {
  const config = program
    .command('config')
    .description('Show or change settings, and where each comes from')
    .addHelpText(
      'before',
      examples([
        'hitl config',
        'hitl config get model',
        'hitl config set maxTime 1h30m',
        'hitl config set profiles.work.model anthropic:claude-opus-4-8',
        'hitl config set sandbox required --project',
        'hitl config path',
      ]),
    );
  addSettingOptions(config.command('list', { isDefault: true }), 'config list')
    .description('List the settings in effect for the next run')
    .action(runs(() => listConfig));
  addSettingOptions(config.command('get'), 'config get')
    .argument('<key>', 'setting name, as listed by `hitl config`')
    .description('Show one setting for the next run')
    .action(runs(() => getConfig));
  where(config.command('set'))
    .argument('<key>', 'key, models.<name>, or profiles.<name>.<key>')
    .argument('<value...>', 'value, or several for a list; put -- first if a value starts with -')
    .description('Change a setting; comments in the file are kept')
    .action(runs(() => setConfig));
  where(config.command('unset'))
    .argument('<key>', 'key, models.<name>, or profiles.<name>.<key>')
    .description('Remove a setting from the file')
    .action(runs(() => unsetConfig));
  where(config.command('edit'))
    .description('Open the file in $VISUAL or $EDITOR; saved only if valid')
    .action(runs(() => editConfig));
  addPreviewOptions(addCommonOptions(config.command('path')))
    .description('List configuration files, and whether each exists and applies')
    .action(runs(() => configPath));
  return config;
}

/** Adds the flags that select the configuration file. */
function where(command: Command) {
  return addCommonOptions(
    command
      .option('--project', 'change the project’s hitl.config.json')
      .option('--local', 'change hitl.config.local.json next to it (your own settings)'),
  );
}
