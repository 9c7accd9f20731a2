import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { LineSource } from '../../src/human/index.js';
import { createLineSource } from '../../src/human/index.js';
import type { Io } from '../host/index.js';
import { isDumb } from '../screen/terminal-facts.js';
import type { OutputFormat, RunFlags } from './options.js';

/** How a command interacts with people, decided at its start. */
export interface Mode {
  /** Asks the user, by `keys` or `lines`. Otherwise nothing waits for a person. */
  readonly interactive: boolean;
  /** Opens the source of keys: stdin, or the controlling terminal if stdin is the message. */
  readonly keys?: () => ReadStream;
  /** The only line reader of user input, for terminals that cannot be drawn on. */
  readonly lines?: () => LineSource;
  readonly format: OutputFormat;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Flags that select the mode. */
type ModeFlags = Pick<
  RunFlags,
  'input' | 'answers' | 'message' | 'quiet' | 'verbose' | 'outputFormat' | 'json'
>;

/** Interactive requires a person at both ends, and no flag against it. */
export function modeOf(io: Io, flags: ModeFlags): Mode {
  const mayAsk = flags.input && flags.answers !== '-' && io.stderr.isTTY;
  const input = mayAsk ? inputOf(io, flags) : undefined;
  return {
    interactive: input !== undefined,
    ...(input !== undefined && (isDumb(io) ? { lines: readerOf(input) } : { keys: input })),
    format: outputFormatOf(flags),
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
  };
}

/** Returns one shared reader. */
function readerOf(input: () => ReadStream): () => LineSource {
  let reader: LineSource | undefined;
  return () => (reader ??= createLineSource(input(), { name: 'the terminal' }));
}

function inputOf(io: Io, flags: ModeFlags): (() => ReadStream) | undefined {
  if (flags.message !== '-') return io.stdin.isTTY ? () => io.stdin : undefined;
  try {
    const fd = openSync('/dev/tty', 'r+');
    return () => new ReadStream(fd);
  } catch {
    return undefined; // no controlling terminal: cron, CI, a detached session
  }
}

/** The output format in force: `--json` is short for `json`. */
export function outputFormatOf({
  outputFormat,
  json,
}: Pick<RunFlags, 'outputFormat' | 'json'>): OutputFormat {
  return outputFormat ?? (json === true ? 'json' : 'text');
}
