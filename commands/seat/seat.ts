import type { ReadStream } from 'node:tty';
import type { Clock, TurnSource } from '../../src/core/index.js';
import type { TerminalTheme } from '../../src/human/index.js';
import { createLineHistory, TerminalDevice, Composer, processSignals } from '../../src/human/seated.js';
import type { Theme } from '../../src/render/index.js';
import type { StatusBar } from './status-bar.js';
import { Steps } from './steps.js';
import { BACK, slashOffers } from '../slash/slash.js';
import type { Io } from '../host/index.js';
import type { Signals } from '../exit/signals.js';
import { historyFile } from '../host/index.js';
import { terminalTheme } from '../screen/terminal-here.js';

/**
 * The parts of the user's terminal that the first prompt needs. The parts for answering questions are not
 * included.
 */
export interface Seat {
  readonly device: TerminalDevice;
  readonly theme: Theme;
  /** The theme for questions. */
  readonly look: TerminalTheme;
  readonly input: ReadStream;
  readonly composer: Composer;
  readonly turns: TurnSource;
  readonly work: WorkTime;
  readonly steps: Steps;
  /** Absent if disabled. */
  readonly status?: StatusBar;
}

export interface SeatPlace {
  readonly input: ReadStream;
  readonly theme: Theme;
  /** Handlers for Ctrl-C, Esc and the loss of the terminal. */
  readonly signals: Pick<Signals, 'interrupt' | 'stopWork' | 'stopsInside' | 'leaveWith'>;
  readonly status?: StatusBar | undefined;
}

/**
 * Takes over the terminal. Draws on stderr, so that stdout contains only data. The caller must restore the
 * device.
 */
export function takeSeat(io: Io, { input, theme, signals, status }: SeatPlace): Seat {
  const { clock } = io;
  const device = new TerminalDevice({
    input,
    output: io.stderr,
    shared: io.stdout.isTTY ? [io.stdout] : [],
    clock,
    signals: processSignals(process),
  });
  device.hungUp.addEventListener(
    'abort',
    () => {
      signals.leaveWith('SIGHUP');
    },
    { once: true },
  );
  // Whatever ends the process, the terminal is set back.
  process.once('exit', () => {
    device.restore();
  });
  const look = terminalTheme(theme);
  const history = createLineHistory(historyFile(io));
  const steps = new Steps();
  const composer: Composer = new Composer({
    device,
    clock,
    theme: look,
    history,
    onStop: () => {
      signals.stopWork();
    },
    stopsRun: () => !signals.stopsInside,
    onInterrupt: () => {
      signals.interrupt();
    },
    ...(status !== undefined && { status: () => status.parts(composer) }),
    above: (isOpen, columns) => steps.rows(isOpen, columns),
  });
  composer.offer({ complete: slashOffers, back: BACK });
  const work = new WorkTime(clock);
  const turns: TurnSource = { next: (state, signal) => work.asking(() => composer.next(state, signal)) };
  const places = { device, theme, look, input, composer };
  return { ...places, turns, work, steps, ...(status !== undefined && { status }) };
}

/**
 * Measures how long the program has been working since the user's last key press. The bell rings after long
 * work.
 */
export class WorkTime {
  readonly #clock: Clock;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  sinceLastKey(): number {
    return this.#clock.now() - this.#since;
  }

  async asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } finally {
      this.#since = this.#clock.now();
    }
  }
}
