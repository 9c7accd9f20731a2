import type { SessionId, Shown } from '../../src/core/index.js';
import { isoTime, safeJson, shown } from '../../src/core/index.js';
import type { Io } from './io.js';
import { withOutputs } from './io.js';
import { rowsWithin } from '../../src/render/index.js';

/** The form of the lines of a program that stays: words for people and for journald, which has the time, or JSON. */
export type LogForm = 'text' | 'json';

/** The facts of a line beside its words. */
export interface LineFacts {
  /** Default: `info`. */
  readonly level?: 'info' | 'warn' | 'error';
  readonly session?: SessionId;
}

/** Writes a line about what happens. */
export type Log = (words: Shown, facts?: LineFacts) => void;

/** The outputs of a program that stays. */
export interface LogLines {
  /** The same place; as JSON each line that anybody writes to its stderr is one of the log. */
  readonly io: Io;
  readonly log: Log;
}

/** A stream that may be a terminal. */
interface Told {
  write(text: Shown): unknown;
  /** Absent or undefined where it is no terminal. */
  readonly columns?: number | undefined;
}

/**
 * Writes safe lines for a person: on a terminal they are broken at words, and what goes on hangs below them (G31);
 * elsewhere they go as they are.
 */
export function tell(to: Told, lines: Shown): void {
  const { columns = 0 } = to;
  to.write(shown`${rowsWithin(lines, columns > 0 ? columns : undefined)}\n`);
}

/** Makes the lines of a program that stays. As JSON each has its time and level: a line is one event for whoever collects them. */
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

/** The stream, each of whose writes is a line. */
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
