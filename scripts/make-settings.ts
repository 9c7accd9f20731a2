// Writes the page of settings from their table: tsx scripts/make-settings.ts
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

import type { FileLaw, SettingRow } from '../commands/settings/row.js';
import type { SettingKind } from '../commands/settings/kind.js';
import { expectedOf } from '../commands/settings/read-value.js';
import { settingRows } from '../commands/settings/settings.js';

const file = fileURLToPath(new URL('../docs/reference/settings.md', import.meta.url));

const LAWS: Readonly<Record<FileLaw, string>> = {
  anyone: 'yes',
  narrower: 'only what allows less than you do',
  you: 'no',
};

const HEAD = `# Settings

Made from \`commands/settings/table.ts\` by \`scripts/make-settings.ts\`. How to use them: [configuration](../guides/configuration.md).

The strongest first: a flag, a variable of the environment, what a project narrows, your profile, \`hitl.config.local.json\`, the project's \`hitl.config.json\` or \`hitl.config.ts\`, your own \`config.json\`, the default. \`hitl config\` shows which one it is.

| setting | value | default | flag | variables | in a project |
| --- | --- | --- | --- | --- | --- |
`;

const READ = `
## Which commands read which

| command | flags |
| --- | --- |
`;

/** The text of the page, formatted as the files of the project are. */
export async function settingsPage(): Promise<string> {
  const rows = settingRows().map(([key, row]) => `| ${cells(key, row).join(' | ')} |`);
  const readers = [...new Set(settingRows().flatMap(([, { reads = [] }]) => reads))];
  const reads = readers.map((reader) => {
    const flags = settingRows().flatMap(([, { flag, reads: by }]) =>
      flag !== undefined && by?.includes(reader) === true
        ? [`\`${/--[a-z-]+/u.exec(flag)?.[0] ?? flag}\``]
        : [],
    );
    return `| \`hitl ${reader}\` | ${flags.join(' ')} |`;
  });
  const text = `${HEAD}${rows.join('\n')}\n${READ}${reads.join('\n')}\n`;
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}

function cells(key: string, row: SettingRow): readonly string[] {
  const { about, kind, flag, variables = [], file: law } = row;
  return [
    `\`${key}\`<br>${about.replaceAll('<', '&lt;')}`,
    valueOf(kind),
    row.default === undefined ? (row.otherwise ?? '') : `\`${JSON.stringify(row.default)}\``,
    flag === undefined ? '' : `\`${flag.replaceAll('|', '\\|')}\``,
    variables.map((name) => `\`${name}\``).join(', '),
    law === undefined ? 'in no file' : LAWS[law],
  ];
}

function valueOf(kind: SettingKind): string {
  return expectedOf(kind).replace(/^must be /u, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, await settingsPage());
}
