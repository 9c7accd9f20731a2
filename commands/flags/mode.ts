import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { LineSource } from '../../src/human/index.js';
import { createLineSource } from '../../src/human/index.js';
import type { Io } from '../host/index.js';
import { isDumb } from '../screen/terminal-facts.js';
import type { OutputFormat, RunFlags } from './options.js';

/** The way in which a command talks to people, decided once at its start. */
export interface Mode {
  /** A person sits there and is asked, with `keys` or with `lines`. Otherwise nothing waits for a person. */
  readonly interactive: boolean;
  /** Opens the source of keys: stdin, or the controlling terminal where stdin is the message. */
  readonly keys?: () => ReadStream;
  /** The one reader of what a person types, a line at a time, where nothing can be drawn. */
  readonly lines?: () => LineSource;
  readonly format: OutputFormat;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** The flags that say how a command talks. */
type ModeFlags = Pick<
  RunFlags,
  'input' | 'answers' | 'message' | 'quiet' | 'verbose' | 'outputFormat' | 'json'
>;

/** Interactive means: a person at both ends, and no flag that says otherwise. */
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

/** One reader, however often it is asked for. */
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
