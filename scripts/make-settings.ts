// Writes the page of settings from their table: tsx scripts/make-settings.ts
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { FileLaw, SettingRow } from '../commands/settings/row.js';
import type { SettingKind } from '../commands/settings/kind.js';
import { expectedOf } from '../commands/settings/read-value.js';
import { settingRows } from '../commands/settings/settings.js';
import { formatted } from './formatted.mjs';

const file = fileURLToPath(new URL('../docs/reference/settings.md', import.meta.url));

const LAWS: Readonly<Record<FileLaw, string>> = {
  anyone: 'yes',
  narrower: 'only stricter',
  you: 'no',
};

const HEAD = `# Settings

Generated from \`commands/settings/table.ts\` by \`scripts/make-settings.ts\`. See [configuration](../guides/configuration.md) for files and precedence, and [commands](commands.md) for the flags of each command.

| setting | value | default | flag | variables | in a project |
| --- | --- | --- | --- | --- | --- |
`;

/** The text of the page, formatted as the files of the project are. */
export async function settingsPage(): Promise<string> {
  const rows = settingRows().map(([key, row]) => `| ${cells(key, row).join(' | ')} |`);
  const text = `${HEAD}${rows.join('\n')}\n`;
  return formatted(file, text);
}

function cells(key: string, row: SettingRow): readonly string[] {
  const { about, kind, flag, variables = [], file: law } = row;
  return [
    `\`${key}\`<br>${about.replaceAll('<', '&lt;')}`,
    valueOf(kind),
    row.default === undefined ? (row.otherwise ?? '') : `\`${JSON.stringify(row.default)}\``,
    flag === undefined ? '' : `\`${flag.replaceAll('|', '\\|')}\``,
    variables.map((name) => `\`${name}\``).join(', '),
    law === undefined ? 'not in a file' : LAWS[law],
  ];
}

function valueOf(kind: SettingKind): string {
  return expectedOf(kind).replace(/^must be /u, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, await settingsPage());
}
