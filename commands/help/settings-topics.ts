import { settingRows } from '../settings/settings.js';
import { rows } from './rows.js';

/** Lists the environment variables for settings. */
export function environmentHelp(columns: number): string {
  const variables = settingRows().flatMap(([key, { variables: names = [], about, variableAbout = {} }]) =>
    names.map((name) => [name, `${key}: ${variableAbout[name] ?? about}`] as const),
  );
  return [
    'Environment variables override configuration files; flags override both:',
    '',
    ...rows(variables, columns),
    '',
    '`hitl config` shows the settings in effect.',
  ].join('\n');
}

/** Lists the configuration files and their keys. */
export function configurationHelp(columns: number): string {
  const keys = settingRows().flatMap(([key, { file, about }]) =>
    file === undefined ? [] : [[key, `${about}${LAWS[file]}`] as const],
  );
  return [
    'Configuration files (JSON with comments), highest priority first:',
    '',
    ...rows(FILES, columns),
    '',
    'Keys; set one with `hitl config set <key> <value>`:',
    '',
    ...rows(keys, columns),
    '',
    '`hitl config path` lists the files; `hitl config` shows the settings in effect.',
  ].join('\n');
}

const LAWS = {
  anyone: '',
  narrower: ' (project files may only be stricter)',
  you: ' (user files only)',
} as const;

const FILES: readonly (readonly [string, string])[] = [
  ['hitl.config.local.json', 'your settings for this project, next to hitl.config.json'],
  [
    'hitl.config.json',
    'project settings, in this folder or a parent, up to the repository root; or hitl.config.ts',
  ],
  ['config.json', 'your settings for all projects; see `hitl config path`'],
];
