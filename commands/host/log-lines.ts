import type { SessionId, Shown } from '../../src/core/index.js';
import { isoTime, safeJson, shown } from '../../src/core/index.js';
import type { Io } from './io.js';
import { withOutputs } from './io.js';
import { rowsWithin } from '../../src/render/index.js';

/** Log format of a long-running program. `text` is for people and for journald, which adds the time. */
export type LogForm = 'text' | 'json';

/** Structured data for a log line. */
export interface LineFacts {
  /** Default: `info`. */
  readonly level?: 'info' | 'warn' | 'error';
  readonly session?: SessionId;
}

/** Writes a log line. */
export type Log = (words: Shown, facts?: LineFacts) => void;

/** Output channels of a long-running program. */
export interface LogLines {
  /** An `Io` whose stderr is the log. In JSON format, every line written to it is a log entry. */
  readonly io: Io;
  readonly log: Log;
}

/** A stream that may be a terminal. */
interface Told {
  write(text: Shown): unknown;
  /** Width of the terminal; absent or undefined if the stream is not a terminal. */
  readonly columns?: number | undefined;
}

/**
 * Writes text for a person, which must be safe for a terminal. On a terminal, lines are wrapped with a
 * hanging indent (G31). Elsewhere, they are unchanged.
 */
export function tell(to: Told, lines: Shown): void {
  const { columns = 0 } = to;
  to.write(shown`${rowsWithin(lines, columns > 0 ? columns : undefined)}\n`);
}

/** Creates the log of a long-running program. In JSON format, each line has a time and a level. */
export function logLines(given: Io, form: LogForm = 'text'): LogLines {
  const { stderr, clock } = given;
  if (form === 'text')
    return {
      io: given,
      log: (words) => {
        tell(stderr, words);
      },
    };
  const log: Log = (words, { level = 'info', ...facts } = {}) => {
    const line = { time: isoTime(clock.now()), level, ...facts, message: String(words).trimEnd() };
    stderr.write(shown`${safeJson(line)}\n`);
  };
  return { io: withOutputs(given, { stdout: given.stdout, stderr: inLines(stderr, log) }), log };
}

/** Returns a stream that logs each write as one line. */
function inLines(stream: Io['stderr'], log: Log): Io['stderr'] {
  const write = (text: Shown): boolean => {
    if (text.trim() !== '') log(text, text.startsWith('error:') ? { level: 'error' } : {});
    return true;
  };
  return new Proxy(stream, {
    get: (target, key): unknown =>
      key === 'write' ? write : key === 'columns' ? undefined : Reflect.get(target, key),
  });
}
