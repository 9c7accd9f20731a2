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

/** The stop and continue signals of the shell's job control. */
export interface TerminalSignals {
  /** Calls the listener after each SIGCONT. */
  onContinue(listener: () => void): void;
  /** Stops this process and its group until they are continued. */
  stop(): void;
}

/** An event sent to a listener of the terminal. */
export type TerminalEvent =
  /**
   * `alone`: no other key arrived with it, so it is not a paste without markers. `at`: clock time in
   * milliseconds.
   */
  | { readonly type: 'key'; readonly key: Key; readonly at: number; readonly alone: boolean }
  | { readonly type: 'paste'; readonly text: string; readonly at: number }
  /**
   * A key continued text that the user was already typing before this listener started. The key was added to
   * that text, or ignored.
   */
  | { readonly type: 'typed-on'; readonly at: number; readonly isKept: boolean }
  | { readonly type: 'resized' }
  /** The process is about to stop: leave the cursor below the drawn region. */
  | { readonly type: 'stopping' }
  /**
   * The screen may have changed, because the process was stopped and continued, or because another program or
   * view was using the terminal.
   */
  | { readonly type: 'continued' }
  /** Sent to a view: another holder is waiting for the terminal. */
  | { readonly type: 'asked' };

export type TerminalListener = (event: TerminalEvent) => void;

/** The terminal, as used by its current holder. */
export interface HeldTerminal {
  readonly columns: number;
  readonly rows: number;
  /**
   * Whether only part of a key or report has been read. A lone Esc is recognized as a key only after a short
   * wait.
   */
  readonly isMidKey: boolean;
  /**
   * Writes text above the drawn region, where it scrolls away. `about` is the call whose decision is
   * reported.
   */
  write(text: Shown, about?: string): void;
  /** Draws a layer at the bottom of the screen, instead of the current one. */
  show(layer: Layer): ShownLayer;
  /** Writes without escaping, for code that does its own drawing. Use only while no layer is shown. */
  raw(text: string): void;
  /** Switches to the alternate screen and back. */
  alternate(on: boolean): void;
  /**
   * Sends all events to this listener until the returned function is called. Only the newest listener
   * receives events.
   */
  listen(listener: TerminalListener): () => void;
  /** Runs a program that uses the terminal itself, with the terminal's original modes. */
  handOver<T>(work: () => Promise<T>): Promise<T>;
  /** Aborts when the question is withdrawn or the terminal is gone. */
  readonly signal: AbortSignal;
}

export interface TerminalDeviceOptions {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /** Other streams on the same terminal; `output` is always included. */
  readonly shared?: readonly SharedOutput[];
  readonly clock: Clock;
  /** If absent, Ctrl-Z is ignored. */
  readonly signals?: TerminalSignals;
}
