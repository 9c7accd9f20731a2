import { settingRows } from '../settings/settings.js';
import { rows } from './rows.js';

/** Lists the environment variables for settings. */
export function environmentHelp(columns: number): string {
  const variables = settingRows().flatMap(([key, { variables: names = [], about }]) =>
    names.map((name) => [name, `${key}: ${about}`] as const),
  );
  return [
    'Environment variables. They override configuration files; flags override them:',
    '',
    ...rows(variables, columns),
    '',
    '`hitl config` shows which settings apply now.',
  ].join('\n');
}

/** Lists the configuration files and their keys. */
export function configurationHelp(columns: number): string {
  const keys = settingRows().flatMap(([key, { file, about }]) =>
    file === undefined ? [] : [[key, `${about}${LAWS[file]}`] as const],
  );
  return [
    'Files, highest priority first; each is JSON with comments:',
    '',
    ...rows(FILES, columns),
    '',
    'Keys; set one with `hitl config set <key> <value>`:',
    '',
    ...rows(keys, columns),
    '',
    '`hitl config path` shows the files, `hitl config` the settings that apply now.',
  ].join('\n');
}

const LAWS = {
  anyone: '',
  narrower: ' (project files may only be stricter)',
  you: ' (user files only)',
} as const;

const FILES: readonly (readonly [string, string])[] = [
  ['hitl.config.local.json', 'your own for this project, next to hitl.config.json'],
  ['hitl.config.json', 'the project’s, in this folder or above up to the repository root; or hitl.config.ts'],
  ['config.json', 'your own for all projects; see `hitl config path`'],
];
