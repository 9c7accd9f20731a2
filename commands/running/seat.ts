import { join } from 'node:path';
import type { ReadStream } from 'node:tty';
import type { Clock, TurnSource } from '../../src/core/index.js';
import type { TerminalDevice, TerminalTheme } from '../../src/human/index.js';
import {
  createLineHistory,
  createTerminalDevice,
  createTerminalTurns,
  processSignals,
} from '../../src/human/index.js';
import type { Theme } from '../../src/render/plain.js';
import type { Io } from '../host/index.js';
import { stateFolder, terminalTheme } from '../host/index.js';
import { slashCompletions } from '../slash/index.js';

/** A person's place at the terminal: what the first prompt needs, and no question. */
export interface Seat {
  readonly device: TerminalDevice;
  readonly look: TerminalTheme;
  readonly input: ReadStream;
  readonly turns: TurnSource;
  readonly work: WorkTime;
}

export interface SeatPlace {
  readonly input: ReadStream;
  readonly theme: Theme;
  /** The terminal is gone. */
  readonly onHangUp: () => void;
}

/** Takes the terminal: it is drawn on stderr, so that stdout stays data. Restore its device in the end. */
export function takeSeat(io: Io, { input, theme, onHangUp }: SeatPlace): Seat {
  const { clock } = io;
  const device = createTerminalDevice({ input, output: io.stderr, clock, signals: processSignals(process) });
  device.hungUp.addEventListener('abort', onHangUp, { once: true });
  const look = terminalTheme(theme);
  const history = createLineHistory(join(stateFolder(io), 'history'));
  const lines = createTerminalTurns({ device, clock, theme: look, complete: slashCompletions, history });
  const work = new WorkTime(clock);
  const turns: TurnSource = { next: (state, signal) => work.asking(() => lines.next(state, signal)) };
  return { device, look, input, turns, work };
}

/** How long the program has worked since the person was last at the keys: long work rings the bell. */
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
