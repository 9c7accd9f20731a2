import type { Shown } from '../src/core/index.js';
import { escapeText, exactDuration, joined, shown } from '../src/core/index.js';
import { formatTable } from '../src/render/index.js';
import { printJson, tell } from './host/index.js';
import type { ConfigFiles } from './config/config-file.js';
import { effectiveFlags, loadFiles } from './config/effective.js';
import { foldersOfProject } from './config/project-place.js';
import { noSetting } from './config/setting-path.js';
import type { Io } from './host/index.js';
import type { PreviewFlags, SettingsFlags } from './flags/options.js';
import { stdoutTable } from './screen/theme.js';
import type { SettingKey } from './settings/settings.js';
import { SETTINGS } from './settings/table.js';
import type { SettingInForce } from './report/in-force.js';
import { settingsInForce } from './report/in-force.js';

/** `hitl config`: shows the settings for the next run and the source of each. */
export async function listConfig(io: Io, flags: SettingsFlags<'config list'>): Promise<number> {
  const effective = await effectiveFlags(io, flags);
  const settings = await settingsInForce(io, flags, effective);
  const { user, project, local } = effective.files;
  if (flags.json === true) {
    const others = [['project', project] as const, ['local', local] as const].flatMap(([name, file]) =>
      file.exists ? [[name, { file: file.path, trusted: file.trusted }] as const] : [],
    );
    printJson(io, { file: user.path, exists: user.exists, ...Object.fromEntries(others), settings });
    return 0;
  }
  if (flags.quiet !== true)
    for (const file of filesOf(effective.files).filter(({ is, exists }) => is === 'yours' || exists))
      tell(io.stderr, shown`${escapeText(file.is)}: ${escapeText(file.path)}${fateOf(file)}`);
  io.stdout.write(
    formatTable(
      settings,
      [
        { title: 'KEY', text: ({ key }) => key },
        { title: 'VALUE', text: valueText },
        { title: 'SOURCE', text: ({ source, from }) => (from === '' ? source : `${source}: ${from}`) },
      ],
      stdoutTable(io, flags.color),
    ),
  );
  return 0;
}

/** `hitl config get`: shows one effective setting; prints nothing if it is not set. */
export async function getConfig(io: Io, name: string, flags: SettingsFlags<'config get'>): Promise<number> {
  const settings = await settingsInForce(io, flags, await effectiveFlags(io, flags));
  const setting = settings.find(({ key }) => key === name);
  if (setting === undefined) throw noSetting(name);
  if (flags.json === true) printJson(io, setting);
  else if (setting.value !== undefined) io.stdout.write(shown`${escapeText(plain(setting))}\n`);
  return 0;
}

/** `hitl config path`: lists the configuration files and shows whether they exist and apply. */
export async function configPath(io: Io, flags: PreviewFlags): Promise<number> {
  const files = filesOf(await loadFiles(io, flags));
  const searched = foldersOfProject(io.cwd);
  if (flags.json === true) {
    printJson(io, { files, searched });
    return 0;
  }
  for (const file of files)
    io.stdout.write(shown`${escapeText(file.is)}\t${escapeText(file.path)}${fateOf(file)}\n`);
  if (flags.quiet !== true)
    tell(
      io.stderr,
      shown`looked for a project in ${joined(
        searched.map((folder) => escapeText(folder)),
        ', ',
      )}`,
    );
  return 0;
}

interface ShownFile {
  readonly is: 'yours' | 'project' | 'local';
  readonly path: string;
  readonly exists: boolean;
  /** Absent for the user's own file, which does not need trust. */
  readonly trusted?: boolean;
}

function filesOf({ user, project, local }: ConfigFiles): readonly ShownFile[] {
  return [
    { is: 'yours', path: user.path, exists: user.exists },
    { is: 'project', path: project.path, exists: project.exists, trusted: project.trusted },
    { is: 'local', path: local.path, exists: local.exists, trusted: local.trusted },
  ];
}

function fateOf({ exists, trusted }: ShownFile): Shown {
  if (!exists) return shown` (not found)`;
  return trusted === false ? shown` (not trusted, not used)` : shown``;
}

function plain({ key, value }: SettingInForce): string {
  return Array.isArray(value)
    ? value.map((item) => writtenText(key, item)).join(' ')
    : writtenText(key, value);
}

/** Formats a value as it would be written on the command line or in a file. */
function writtenText(key: SettingKey, value: unknown): string {
  if (typeof value === 'number' && SETTINGS[key].kind.type === 'duration') return exactDuration(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function valueText({ key, value, does }: SettingInForce): string {
  const shown = value === undefined ? '-' : writtenText(key, value);
  return does === undefined ? shown : `${shown} (${does})`;
}
