import { safeJson, formatTable } from '../src/render/index.js';
import { stdoutTheme } from './theme.js';
import { effectiveFlags, settingsOf } from './effective.js';
import type { Setting } from './effective.js';
import type { Io } from './io.js';
import type { RunFlags } from './options.js';

/** `hitl config`: the effective configuration, and where each value comes from. */
export async function config(io: Io, _args: readonly unknown[], flags: RunFlags): Promise<number> {
  const { loaded } = await effectiveFlags(io, flags);
  const settings = settingsOf(io, flags, loaded);
  if (flags.json === true) {
    io.stdout.write(`${safeJson({ file: loaded.path, exists: loaded.exists, settings }, 2)}\n`);
    return 0;
  }
  if (flags.quiet !== true) io.stderr.write(`file: ${loaded.path}${loaded.exists ? '' : ' (not there)'}\n`);
  const theme = stdoutTheme(io, flags.color);
  const columns = io.stdout.isTTY ? { columns: io.stdout.columns } : {};
  io.stdout.write(
    formatTable(
      settings,
      [
        { title: 'KEY', text: ({ key }) => key },
        { title: 'VALUE', text: valueText },
        { title: 'SOURCE', text: ({ source, from }) => (from === '' ? source : `${source}: ${from}`) },
      ],
      { theme, ...columns },
    ),
  );
  return 0;
}

function valueText({ value }: Setting): string {
  if (value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
