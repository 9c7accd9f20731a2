import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { LineSource } from '../../src/human/index.js';
import { createLineSource } from '../../src/human/index.js';
import type { Io } from '../host/index.js';
import { isDumb } from '../screen/terminal-facts.js';
import type { OutputFormat, RunFlags } from './options.js';

/** How a command interacts with the user, determined when it starts. */
export interface Mode {
  /** Whether to ask the user, through `keys` or `lines`. If not, the command never waits for a person. */
  readonly interactive: boolean;
  /**
   * Opens the stream that keys are read from: stdin, or the controlling terminal if stdin contains the
   * message.
   */
  readonly keys?: () => ReadStream;
  /** Returns the only reader of lines from the user. Used for terminals that hitl cannot draw on. */
  readonly lines?: () => LineSource;
  readonly format: OutputFormat;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Flags that determine the mode. */
type ModeFlags = Pick<
  RunFlags,
  'input' | 'answers' | 'message' | 'quiet' | 'verbose' | 'outputFormat' | 'json'
>;

/**
 * Returns the mode, which is interactive only if a user can both read the questions and answer them, and no
 * flag prevents it.
 */
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

/** Returns a function that creates one line reader on first use and then returns the same one. */
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

/** Returns the output format in effect. `--json` is short for `--output-format json`. */
export function outputFormatOf({
  outputFormat,
  json,
}: Pick<RunFlags, 'outputFormat' | 'json'>): OutputFormat {
  return outputFormat ?? (json === true ? 'json' : 'text');
}
