import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { Io } from '../host/index.js';
import type { OutputFormat, RunFlags } from './options.js';

/** How a command talks to people, decided once at its start. */
export interface Mode {
  /** Questions are drawn and keys are read. Otherwise lines are read, and nothing waits for a key. */
  readonly interactive: boolean;
  /** Where keys come from: stdin, or the controlling terminal where stdin is the message. */
  readonly keys?: () => ReadStream;
  readonly format: OutputFormat;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Interactive means: a person at both ends, a terminal that can draw, and no flag that says otherwise. */
export function modeOf(io: Io, flags: RunFlags): Mode {
  const mayAsk = flags.input && io.env['TERM'] !== 'dumb' && flags.answers !== '-' && io.stderr.isTTY;
  const keys = mayAsk ? keysOf(io, flags) : undefined;
  return {
    interactive: keys !== undefined,
    ...(keys !== undefined && { keys }),
    format: outputFormatOf(flags),
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
  };
}

function keysOf(io: Io, flags: RunFlags): (() => ReadStream) | undefined {
  if (flags.message !== '-') return io.stdin.isTTY ? () => io.stdin : undefined;
  try {
    const fd = openSync('/dev/tty', 'r+');
    return () => new ReadStream(fd);
  } catch {
    return undefined; // no controlling terminal: cron, CI, a detached session
  }
}

/** The output format in force: `--json` is short for `json`. */
export function outputFormatOf({ outputFormat, json }: RunFlags): OutputFormat {
  return outputFormat ?? (json === true ? 'json' : 'text');
}
