import type { Command } from 'commander';
import { addCommonOptions, addPreviewOptions, addSettingOptions } from '../flags/options.js';
import type { Runs } from './command-parts.js';
import { examples } from './command-parts.js';
import { listConfig, getConfig, configPath } from '../config.js';
import { setConfig, unsetConfig, editConfig } from '../config-change.js';

/** Defines `hitl config` with its commands. */
export function configCommand(program: Command, runs: Runs): Command {
  const config = program
    .command('config')
    .description('the settings in force, where each comes from, and changing them')
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
    .description('every setting as the next run would have it')
    .action(runs(() => listConfig));
  addSettingOptions(config.command('get'), 'config get')
    .argument('<key>', 'a setting, as `hitl config` lists it')
    .description('one setting as the next run would have it')
    .action(runs(() => getConfig));
  where(config.command('set'))
    .argument('<key>', 'a key, models.<name>, or profiles.<name>.<key>')
    .argument('<value...>', 'its value; several for a list; behind -- where one begins with -')
    .description('write a setting, and keep the comments of the file')
    .action(runs(() => setConfig));
  where(config.command('unset'))
    .argument('<key>', 'a key, models.<name>, or profiles.<name>.<key>')
    .description('take a setting out of the file')
    .action(runs(() => unsetConfig));
  where(config.command('edit'))
    .description('open the file in $VISUAL or $EDITOR; it is taken only where it fits')
    .action(runs(() => editConfig));
  addPreviewOptions(addCommonOptions(config.command('path')))
    .description('the files, whether they are there, and whether they count')
    .action(runs(() => configPath));
  return config;
}

/** The flags that say which file is changed. */
function where(command: Command): Command {
  return addCommonOptions(
    command
      .option('--project', 'hitl.config.json of the project')
      .option('--local', 'hitl.config.local.json beside it, for you alone'),
  );
}
