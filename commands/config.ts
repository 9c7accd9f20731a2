import { escapeText } from '../src/core/index.js';
import { formatTable } from '../src/render/index.js';
import { printJson } from './host/index.js';
import { stdoutTable } from './screen/index.js';
import type { LoadedConfig, ProjectConfig, Setting } from './config/index.js';
import { effectiveFlags, settingsOf } from './config/index.js';
import type { Io } from './host/index.js';
import type { RunFlags } from './flags/index.js';

/** `hitl config`: the effective configuration, and where each value comes from. */
export async function config(io: Io, _args: readonly unknown[], flags: RunFlags): Promise<number> {
  const { user, project } = await effectiveFlags(io, flags);
  const settings = settingsOf(io, flags, { user, project });
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

function documentOf(user: LoadedConfig, project: ProjectConfig, settings: readonly Setting[]): object {
  const { path, trusted } = project;
  return {
    file: user.path,
    exists: user.exists,
    ...(project.exists && { project: { file: path, trusted } }),
    settings,
  };
}

function valueText({ value }: Setting): string {
  if (value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
