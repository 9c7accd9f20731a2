import { escapeText } from '../src/core/index.js';
import { formatTable } from '../src/render/index.js';
import { printJson } from './host/index.js';
import type { LoadedConfig, ProjectConfig } from './config/index.js';
import { effectiveFlags } from './config/index.js';
import type { Io } from './host/index.js';
import type { RunFlags } from './flags/index.js';
import { stdoutTable } from './screen/index.js';
import type { SettingInForce } from './report/index.js';
import { settingsInForce } from './report/index.js';

/** `hitl config`: what the next run would have, and where each value comes from. */
export async function config(io: Io, _args: readonly unknown[], flags: RunFlags): Promise<number> {
  const effective = await effectiveFlags(io, flags);
  const { user, project } = effective;
  const settings = await settingsInForce(io, flags, effective);
  if (flags.json === true) {
    printJson(io, documentOf(user, project, settings));
    return 0;
  }
  if (flags.quiet !== true) {
    io.stderr.write(`file: ${escapeText(user.path)}${user.exists ? '' : ' (not there)'}\n`);
    if (project.exists)
      io.stderr.write(
        `project: ${escapeText(project.path)}${project.trusted ? '' : ' (not trusted, so not used)'}\n`,
      );
  }
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

function documentOf(user: LoadedConfig, project: ProjectConfig, settings: readonly SettingInForce[]): object {
  const { path, trusted } = project;
  return {
    file: user.path,
    exists: user.exists,
    ...(project.exists && { project: { file: path, trusted } }),
    settings,
  };
}

function valueText({ value, does }: SettingInForce): string {
  const shown = value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value);
  return does === undefined ? shown : `${shown} (${does})`;
}
