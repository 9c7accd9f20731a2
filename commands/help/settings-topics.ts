import { settingRows } from '../settings/settings.js';
import { rows } from './rows.js';

/** The variables of the environment that settings are read from, with what each says. */
export function environmentHelp(columns: number): string {
  const variables = settingRows().flatMap(([key, { variables: names = [], about }]) =>
    names.map((name) => [name, `${key}: ${about}`] as const),
  );
  return [
    'Variables, which win over every configuration file; a flag wins over them:',
    '',
    ...rows(variables, columns),
    '',
    '`hitl config` shows which of them counts now.',
  ].join('\n');
}

/** The files of the configuration, and the keys that may stand in them. */
export function configurationHelp(columns: number): string {
  const keys = settingRows().flatMap(([key, { file, about }]) =>
    file === undefined ? [] : [[key, `${about}${LAWS[file]}`] as const],
  );
  return [
    'Files, the strongest first; each is JSON with comments:',
    '',
    ...rows(FILES, columns),
    '',
    'Keys; `hitl config set <key> <value>` writes one:',
    '',
    ...rows(keys, columns),
    '',
    '`hitl config path` shows the files, and `hitl config` what counts now.',
  ].join('\n');
}

const LAWS = {
  anyone: '',
  narrower: ' (a project: only less than you)',
  you: ' (not in a project)',
} as const;

const FILES: readonly (readonly [string, string])[] = [
  ['hitl.config.local.json', 'yours in this project, beside the next one'],
  ['hitl.config.json', 'the project’s, here or above up to the repository’s root; or hitl.config.ts'],
  ['config.json', 'yours everywhere: `hitl config path` says where'],
];
