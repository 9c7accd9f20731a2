import type { Clock, Shown } from '../../core/index.js';
import type { SharedOutput } from './hook.js';
import type { Key } from './keys.js';
import type { Layer, ShownLayer } from './live-screen.js';

/** The part of a terminal's input that the device needs; `tty.ReadStream` fits. */
interface TerminalInput {
  setRawMode?(on: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: 'data' | 'end' | 'close' | 'error', listener: (value: Uint8Array | string) => void): unknown;
  removeListener(event: 'data', listener: (value: Uint8Array | string) => void): unknown;
}

/** The part of a terminal's output that the device needs; `tty.WriteStream` fits. */
interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: 'resize' | 'error' | 'close', listener: () => void): unknown;
}

/** Stopping and going on, as the shell's job control asks for it. */
export interface TerminalSignals {
  /** Calls the listener after each SIGCONT. */
  onContinue(listener: () => void): void;
  /** Stops this process, and its group, until it is continued. */
  stop(): void;
}

/** An event at the terminal while somebody holds it. */
export type TerminalEvent =
  /** `alone`: no other key came with it, so no paste in disguise. `at`: milliseconds of the clock. */
  | { readonly type: 'key'; readonly key: Key; readonly at: number; readonly alone: boolean }
  | { readonly type: 'paste'; readonly text: string; readonly at: number }
  | { readonly type: 'resized' }
  /** The process is about to stop: leave the cursor below what was drawn. */
  | { readonly type: 'stopping' }
  /** The screen is not what it was: the process was stopped and goes on, or another program had the terminal. */
  | { readonly type: 'continued' };

export type TerminalListener = (event: TerminalEvent) => void;

/** The terminal in the hands of one holder. */
export interface HeldTerminal {
  readonly columns: number;
  readonly rows: number;
  /** Text above what is drawn: it is written once, and scrolls away. */
  write(text: Shown): void;
  /** Draws a layer at the bottom of the screen, in place of those before it. */
  show(layer: Layer): ShownLayer;
  /** Writes as it is, for a program that draws itself; only while no layer is shown. */
  raw(text: string): void;
  /** Shows a second screen in place of the usual one, or goes back to that. */
  alternate(on: boolean): void;
  /** Hears everything until the returned function is called; the newest listener alone hears. */
  listen(listener: TerminalListener): () => void;
  /** Runs a program that uses the terminal itself, with the modes as they were found. */
  handOver<T>(work: () => Promise<T>): Promise<T>;
  /** Aborts when the question is withdrawn and when the terminal is gone. */
  readonly signal: AbortSignal;
}

export interface TerminalDeviceOptions {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /** Other streams that end on the same terminal; `output` is always one of those that are taken over. */
  readonly shared?: readonly SharedOutput[];
  readonly clock: Clock;
  /** Without it Ctrl-Z does nothing. */
  readonly signals?: TerminalSignals;
}
