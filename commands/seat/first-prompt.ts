// Invariants:
// E1 Whatever ends a chat before its first message sets the terminal back, and takes the prompt away.
// E2 What was typed at the prompt is the first turn of the session, however long the rest took to load.
import type { TurnSource } from '../../src/core/index.js';
import { emptyState, escapeText, wrapWords } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Seat } from './seat.js';
import { takeSeat } from './seat.js';
import type { StatusBar } from './status-bar.js';
import { Signals } from '../exit/signals.js';
import { stderrTheme } from '../screen/theme.js';

/**
 * The terminal and the signal handling that were set up early, so that the prompt could appear before the
 * program had loaded.
 */
export interface Entrance {
  readonly seat: Seat;
  readonly signals: Signals;
}

export interface FirstPrompt {
  readonly mode: Mode;
  /** Lines to show above the prompt. */
  readonly notices: readonly string[];
  readonly status?: StatusBar | undefined;
}

/** Draws the first prompt of a chat, while `work` prepares the session that will receive the message. */
export async function atFirstPrompt(
  io: Io,
  flags: RunFlags,
  { mode, notices, status }: FirstPrompt,
  work: (entrance: Entrance) => Promise<number>,
): Promise<number> {
  using signals = new Signals({ clock: io.clock, interactive: mode.interactive });
  const theme = stderrTheme(io, flags.color);
  const seat = takeSeat(io, { input: mode.keys?.() ?? io.stdin, theme, signals, status });
  if (!mode.quiet) for (const notice of notices) say(seat, notice);
  const withdraw = new AbortController();
  const first = seat.turns.next(emptyState(), AbortSignal.any([signals.leave, withdraw.signal]));
  first.catch(() => undefined); // told to whoever takes the first turn
  try {
    await new Promise<void>((drawn) => {
      setImmediate(drawn);
    });
    return await work({ seat: { ...seat, turns: beginningWith(first, seat.turns) }, signals });
  } finally {
    withdraw.abort();
    await Promise.allSettled([first]);
    seat.device.restore(); // E1
  }
}

/** Shows a line above the prompt, wrapped between words. */
function say({ device: { screen }, look }: Seat, notice: string): void {
  const rows = wrapWords(escapeText(notice), screen.size.columns - 1);
  screen.append(rows.map((row) => `${look.dim(row)}\n`).join(''));
}

/** Returns a turn source whose first turn is already pending. */
function beginningWith(first: ReturnType<TurnSource['next']>, rest: TurnSource): TurnSource {
  let isFirst = true;
  return {
    next(state, signal) {
      if (!isFirst) return rest.next(state, signal);
      isFirst = false;
      return first; // E2
    },
  };
}
