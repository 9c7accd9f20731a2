import type { Clock, Shown } from '../../core/index.js';
import type { SharedOutput } from './hook.js';
import type { Key } from './keys.js';
import type { Layer, ShownLayer } from './live-screen.js';

interface TerminalInput {
  setRawMode?(on: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: 'data' | 'end' | 'close' | 'error', listener: (value: Uint8Array | string) => void): unknown;
  removeListener(event: 'data', listener: (value: Uint8Array | string) => void): unknown;
}

interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: 'resize' | 'error' | 'close', listener: () => void): unknown;
}

/** Stop and continue signals of the shell's job control. */
export interface TerminalSignals {
  /** Calls the listener after each SIGCONT. */
  onContinue(listener: () => void): void;
  /** Stops this process, and its group, until it is continued. */
  stop(): void;
}

/** An event of a held terminal. */
export type TerminalEvent =
  /** `alone`: no other key came with it, so no paste in disguise. `at`: milliseconds of the clock. */
  | { readonly type: 'key'; readonly key: Key; readonly at: number; readonly alone: boolean }
  | { readonly type: 'paste'; readonly text: string; readonly at: number }
  /** A key went on in what the person was typing when this listener came; it is kept there, or ignored. */
  | { readonly type: 'typed-on'; readonly at: number; readonly isKept: boolean }
  | { readonly type: 'resized' }
  /** The process is about to stop: leave the cursor below the drawn region. */
  | { readonly type: 'stopping' }
  /** The screen is not what it was: the process was stopped and goes on, or another program or view had the terminal. */
  | { readonly type: 'continued' }
  /** Heard by a view: somebody else is waiting for the terminal. */
  | { readonly type: 'asked' };

export type TerminalListener = (event: TerminalEvent) => void;

/** The terminal in the hands of one holder. */
export interface HeldTerminal {
  readonly columns: number;
  readonly rows: number;
  /** Whether the start of a key or report was read, and not its end: a lone Esc is known as a key after some time only. */
  readonly isMidKey: boolean;
  /** Text above what is drawn: it is written once, and scrolls away. `about` is the call whose decision it tells. */
  write(text: Shown, about?: string): void;
  /** Draws a layer at the bottom of the screen instead of the current ones. */
  show(layer: Layer): ShownLayer;
  /** Writes without escaping, for a program that draws itself; only while no layer is shown. */
  raw(text: string): void;
  /** Switches to the alternate screen or back. */
  alternate(on: boolean): void;
  /**
   * Sends all events to this listener until the returned function is called; only the newest listener gets
   * them.
   */
  listen(listener: TerminalListener): () => void;
  /** Runs a program that uses the terminal itself, with the modes as they were found. */
  handOver<T>(work: () => Promise<T>): Promise<T>;
  /** Aborts when the question is withdrawn and when the terminal is gone. */
  readonly signal: AbortSignal;
}

export interface TerminalDeviceOptions {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /** Other streams on the same terminal; `output` is always taken over. */
  readonly shared?: readonly SharedOutput[];
  readonly clock: Clock;
  /** Without it, Ctrl-Z is ignored. */
  readonly signals?: TerminalSignals;
}
