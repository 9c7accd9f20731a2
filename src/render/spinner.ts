import ora from 'ora';

import { columnsOf, plainLine } from '../core/index.js';
import type { Wait } from './activity.js';
import { NO_SPINNER } from './no-spinner.js';
import type { Spinner } from './no-spinner.js';
import type { Style } from './theme.js';
import { isPlainTerminal } from './theme.js';
import { formatDuration } from './time.js';
import { outputLine } from './tool-lines.js';
import { formatCount } from './usage-line.js';
import { cutToWidth } from './width.js';

/** A stream that supports a spinner, for example `process.stderr`. */
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
  /** The key that stops only the current activity. Default: none, and Ctrl-C stops everything. */
  readonly key?: string;
  /** Draws the rows if other code controls the screen. Default: the spinner is drawn on the stream. */
  readonly row?: (shown: WorkingRows | undefined) => void;
}

/**
 * The row of the current wait, with the rows above it and its latest output below. All are safe text of any
 * width.
 */
export interface WorkingRows {
  readonly text: string;
  readonly above: readonly string[];
  readonly below: readonly string[];
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const ASCII_FRAMES = ['-', '\\', '|', '/'];
const FRAME_MS = 100;
/** Time to wait before showing the stop key, in milliseconds. */
const HINT_AFTER_MS = 1000;
/** Minimum width of the wait's text, in columns. */
const LEAST_WORDS = 10;
/** Columns taken by a frame, the space after it, and the last screen column, which stays empty. */
const FRAME_COLUMNS = 3;
/** Maximum width of the details, in columns, if they are not redrawn together with the text. */
const SUFFIX_COLUMNS = 38;
/** Maximum width of a progress line shown next to the activity, in columns. */
const LATEST_COLUMNS = 40;
/** Maximum number of characters read from an output line. */
const LONGEST = 2000;

/**
 * Formats the details of a wait: `12 s · 3,104 tokens · Esc stops`. If they do not fit, the token count is
 * left out first.
 */
function factsOf(
  { since, until = since, tokens, asksUser = false }: Wait,
  { now, columns, key }: { readonly now: number; readonly columns: number; readonly key: string | undefined },
): string {
  const hint = key === undefined ? 'Ctrl-C stops' : `${key} ${asksUser ? 'asks you' : 'stops'}`;
  const waitedMs = now - until;
  const time =
    waitedMs < 0
      ? [`in ${formatDuration(999 - waitedMs)}`]
      : waitedMs < 1000
        ? []
        : [formatDuration(waitedMs)];
  const written = tokens === undefined || asksUser ? [] : [`${formatCount(tokens)} tokens`];
  const stop = waitedMs < HINT_AFTER_MS ? [] : [hint];
  const all = [[...time, ...written, ...stop], [...time, ...stop], stop].map((facts) =>
    facts.map((fact) => ` · ${fact}`).join(''),
  );
  return all.find((facts) => columnsOf(facts) <= columns) ?? '';
}

/**
 * Whether the terminal has zero width, in which case `ora` would divide by zero and erase lines endlessly.
 */
function isWidthless({ columns }: SpinnerStream): boolean {
  return columns === 0;
}

/** Creates a spinner whose rows are drawn by the caller. */
function inRows(
  row: NonNullable<SpinnerOptions['row']>,
  style: Style,
  line: (wait: Wait) => string,
): Spinner {
  let timer: NodeJS.Timeout | undefined;
  let draw = (): void => undefined;
  return {
    isApart: true,
    show(wait, above = []) {
      const below = (wait.latest ?? []).map((latest) => style(`  ${outputLine(latest.slice(0, LONGEST))}`));
      draw = () => {
        row({ text: line(wait), above, below });
      };
      draw();
      timer ??= setInterval(() => {
        draw();
      }, FRAME_MS).unref();
    },
    hide() {
      clearInterval(timer);
      timer = undefined;
      row(undefined);
    },
  };
}

/**
 * Creates a spinner for a terminal with cursor control outside CI; otherwise creates one that shows nothing.
 */
export function createSpinner(options: SpinnerOptions): Spinner {
  const { stream, env, style, now, key, row } = options;
  const term = env['TERM'];
  if (stream.isTTY !== true || isPlainTerminal(env) || env['CI'] !== undefined || isWidthless(stream))
    return NO_SPINNER;
  const frames = (term === 'linux' ? ASCII_FRAMES : FRAMES).map(style);
  const columns = (): number => (stream.columns ?? 80) - FRAME_COLUMNS;
  const facts = (wait: Wait, most = Infinity): string =>
    factsOf(wait, { now: now(), columns: Math.min(most, columns() - LEAST_WORDS), key });
  if (row !== undefined)
    return inRows(row, style, (wait) => {
      const frame = frames[Math.floor(now() / FRAME_MS) % frames.length] ?? '';
      const told = facts(wait);
      return `${frame} ${cutToWidth(wait.text, columns() - columnsOf(told))}${told}`;
    });
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
    spinner: { frames, interval: FRAME_MS },
    suffixText: () => facts(waiting, SUFFIX_COLUMNS).trimStart(),
  });
  return {
    show(wait) {
      if (isWidthless(stream)) return;
      waiting = wait;
      const latest = wait.latest?.at(-1);
      const room = Math.max(LEAST_WORDS, columns() - SUFFIX_COLUMNS);
      const words = latest === undefined ? wait.text : cutToWidth(wait.text, Math.floor(room / 2));
      const told = latest === undefined ? '' : `: ${plainLine(latest, LATEST_COLUMNS)}`;
      spinner.text = cutToWidth(`${words}${told}`, room);
      if (!spinner.isSpinning) spinner.start();
    },
    hide() {
      if (spinner.isSpinning) spinner.stop();
    },
  };
}
