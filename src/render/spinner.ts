import ora from 'ora';

import type { Wait } from './activity.js';
import { NO_SPINNER } from './no-spinner.js';
import type { Spinner } from './no-spinner.js';
import type { Style } from './theme.js';
import { isPlainTerminal } from './theme.js';
import { formatDuration } from './time.js';
import { cutToWidth } from './width.js';

/** A stream that supports a spinner, such as `process.stderr`. */
export type SpinnerStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

export interface SpinnerOptions {
  readonly stream: SpinnerStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly style: Style;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Hint shown after 10 s of waiting. Default: `Ctrl-C stops`. */
  readonly hint?: string;
  /** Draws the line where somebody else owns the screen. Default: it is drawn on the stream. */
  readonly row?: (text: string | undefined) => void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const ASCII_FRAMES = ['-', '\\', '|', '/'];
const FRAME_MS = 100;
const HINT_AFTER_MS = 10_000;
/** Columns for the time and the hint after the text. */
const SUFFIX_COLUMNS = 32;

function suffix({ since, until = since }: Wait, now: number, hint: string): string {
  if (now < until) return `in ${formatDuration(until - now + 999)}`;
  const waitedMs = now - until;
  if (waitedMs < 1000) return '';
  const waited = formatDuration(waitedMs);
  return waitedMs < HINT_AFTER_MS ? waited : `${waited} · ${hint}`;
}

/** Detects a terminal without a size: ora would divide by its width, and erase lines endlessly. */
function isWidthless({ columns }: SpinnerStream): boolean {
  return columns === 0;
}

/** A spinner whose frames somebody else draws. */
function inRow(
  row: (text: string | undefined) => void,
  frame: () => string,
  setText: (wait: Wait) => void,
): Spinner {
  let timer: NodeJS.Timeout | undefined;
  return {
    show(wait) {
      setText(wait);
      row(frame());
      timer ??= setInterval(() => {
        row(frame());
      }, FRAME_MS).unref();
    },
    hide() {
      clearInterval(timer);
      timer = undefined;
      row(undefined);
    },
  };
}

/** Creates a spinner for a terminal with cursor control outside CI, else one that shows nothing. */
export function createSpinner(options: SpinnerOptions): Spinner {
  const { stream, env, style, now, hint = 'Ctrl-C stops', row } = options;
  const term = env['TERM'];
  if (stream.isTTY !== true || isPlainTerminal(env) || env['CI'] !== undefined || isWidthless(stream))
    return NO_SPINNER;
  const frames = term === 'linux' ? ASCII_FRAMES : FRAMES;
  let waiting: Wait = { text: '', since: 0 };
  const spinner = ora({
    stream,
    isEnabled: true,
    // With the default, ora takes stdin and Ctrl-C is dead while it spins.
    discardStdin: false,
    // A hidden cursor would outlive a kill, and its restoring would add handlers of signals that others own.
    hideCursor: false,
    // ora's colours look at the environment and not at this stream.
    color: false,
    spinner: { frames: frames.map(style), interval: FRAME_MS },
    suffixText: () => suffix(waiting, now(), hint),
  });
  const setText = (wait: Wait): void => {
    waiting = wait;
    spinner.text = cutToWidth(wait.text, Math.max(10, (stream.columns ?? 80) - SUFFIX_COLUMNS));
  };
  if (row !== undefined) return inRow(row, () => spinner.frame(), setText);
  return {
    show(wait) {
      if (isWidthless(stream)) return;
      setText(wait);
      if (!spinner.isSpinning) spinner.start();
    },
    hide() {
      if (spinner.isSpinning) spinner.stop();
    },
  };
}
