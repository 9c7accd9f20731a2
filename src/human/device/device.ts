// Invariants:
// D1 One holder at a time has the terminal; whoever else wants to ask waits.
// D2 Raw mode and bracketed paste are on only while somebody holds it, and off again however that ends (G26).
// D3 A terminal that is gone (EIO, end of input) is a hang-up, never an exception; nothing is written or set after it.
// D4 What was typed before a holder listens is dropped, unless the holder asked for it; where somebody is attached,
//    they hear what no holder hears.
// D5 While somebody is attached, nothing is echoed and nothing is written into what is drawn, whoever writes it.
// D6 What a person types goes on into the line in which it was begun until they pause: whoever asks meanwhile hears none
//    of it, and nothing of it is lost.
// D7 An open view alone hears keys, whoever has the terminal below it.
// D8 What a person types at a question goes on nowhere until they pause, where the question is taken away or has no prompt
//    yet: not into the next one, and not into their line. A paste is for whoever would have heard a letter when it began.
import { StringDecoder } from 'node:string_decoder';

import { HitlError, Mutex } from '../../core/index.js';
import { takeOver } from './hook.js';
import { ALTERNATE_OFF, ALTERNATE_ON, FIRST_TAKEN, GIVEN_BACK, PASTE_ON } from './sequences.js';
import type { KeyEvent } from './keys.js';
import { TOGETHER_MS } from './arming.js';
import { KeyDecoder } from './keys.js';
import { LiveScreen } from './live-screen.js';
import type { ScreenSize } from './live-screen.js';
import type { HeldTerminal, TerminalDeviceOptions, TerminalEvent, TerminalListener } from './ports.js';

/**
 * How long to wait after a lone Esc before treating it as the Esc key, and how long to wait for a report,
 * which may take longer to arrive, in milliseconds.
 */
const ESCAPE_MS = 50;
const REPORT_MS = 1000;
/**
 * Maximum pause between keystrokes in the same text, in milliseconds. A longer pause ends the text that is
 * being typed.
 */
const TYPING_MS = 600;
/**
 * How long after a continuation another one is treated as the same, in milliseconds. SIGCONT arrives shortly
 * after the process continues, so both may be noticed.
 */
const CONTINUE_ONCE_MS = 500;

/** Returns an event's role in the text that is being typed. Tab completes the text, if there is any. */
function partOf(event: KeyEvent): 'text' | 'tab' | 'enter' | 'other' {
  if (event.type === 'paste') return 'text';
  const { text, name, ctrl, meta, shift } = event.key;
  if (name === 'enter' || name === 'newline') return 'enter';
  if (ctrl || meta) return 'other';
  if (name === 'tab') return shift ? 'other' : 'tab';
  return text !== '' || name === 'backspace' ? 'text' : 'other';
}

/** Returns the reported size, or the usual one if the terminal reports 0 or does not report a size. */
function sizeOf(told: number | undefined, usual: number): number {
  return told === undefined || told <= 0 ? usual : told;
}

/**
 * Opens a view when its key is pressed. The view draws on the alternate screen until it is closed. Returns
 * `undefined` if there is nothing to show.
 */
type View = (terminal: HeldTerminal) => Promise<unknown> | undefined;

/** Whether an event is the key that opens and closes a view: Ctrl-O. */
function isViewKey(event: KeyEvent): boolean {
  return event.type === 'key' && event.key.ctrl && event.key.name === 'o';
}

/**
 * Makes a listener receive all events instead of the listeners before it, until the returned function is
 * called.
 */
function listenAmong(listeners: TerminalListener[], listener: TerminalListener): () => void {
  listeners.push(listener);
  return () => {
    const place = listeners.indexOf(listener);
    if (place >= 0) listeners.splice(place, 1);
  };
}

/** The sole owner of a terminal. Everything that asks a person goes through it. */
export class TerminalDevice {
  readonly #options: TerminalDeviceOptions;
  readonly #mutex = new Mutex();
  readonly #hangUp = new AbortController();
  readonly #listeners: TerminalListener[] = [];
  #keys = new KeyDecoder();
  #text = new StringDecoder('utf8');
  #waiting = new AbortController();
  #active = false;
  #isAlternate = false;
  #isAttached = false;
  #openView: View | undefined;
  /** The listeners of the open view (D7). */
  #viewers: TerminalListener[] | undefined;
  #taken = FIRST_TAKEN; // D5
  #letGo: readonly (() => void)[] = [];
  /** Writes directly to the output, even if writes to it are redirected. */
  #toOutput: (text: string) => unknown;
  /** The drawn region and the text above it. */
  readonly screen: LiveScreen;
  #continuedAt = Number.NEGATIVE_INFINITY;
  /**
   * Time when the last character was typed into the attached input line; reset if the line has been submitted
   * since then (D6).
   */
  #typedAt = Number.NEGATIVE_INFINITY;
  /**
   * Same as `#typedAt`, but for the holder of the terminal and for a holder whose question was withdrawn
   * (D8).
   */
  #heldTypedAt = Number.NEGATIVE_INFINITY;
  #cutAt = Number.NEGATIVE_INFINITY;
  /** The listener receiving a paste that has not ended yet. */
  #pasting: { readonly of: TerminalListener | undefined } | undefined;
  #isHeld = false;

  constructor(options: TerminalDeviceOptions) {
    this.#options = options;
    const { input, output, signals } = options;
    this.#toOutput = (text) => void output.write(text);
    this.screen = new LiveScreen({
      size: () => this.#size(),
      write: (text) => {
        this.#write(text);
      },
    });
    const gone = () => {
      this.#gone();
    };
    for (const event of ['end', 'close', 'error'] as const) input.on(event, gone);
    for (const event of ['error', 'close'] as const) output.on(event, gone);
    output.on('resize', () => {
      if (!this.#active) return;
      // What is said to a key that came with it stands in the same picture: rows of one before it would not have been seen.
      this.#tell({ type: 'resized' });
      this.screen.resized();
    });
    signals?.onContinue(() => {
      if (!this.#active || this.#options.clock.now() - this.#continuedAt < CONTINUE_ONCE_MS) return;
      this.#leave();
      this.#comeBack();
    });
  }

  /**
   * Aborts with a `HitlError` when the terminal is gone. After that, a normal exit crashes Node 20. Instead,
   * save, then exit by raising SIGHUP without a listener for it.
   */
  get hungUp(): AbortSignal {
    return this.#hangUp.signal;
  }

  /**
   * Lends the terminal to `work` as soon as it is free; rejects if the signal aborts first. Discards anything
   * typed earlier.
   */
  async use<T>(work: (held: HeldTerminal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const either = AbortSignal.any([signal, this.hungUp]);
    const release = await this.#mutex.acquire(either);
    this.#heldTypedAt = Number.NEGATIVE_INFINITY;
    this.#isHeld = true;
    try {
      this.#enter();
      this.#viewers?.at(-1)?.({ type: 'asked' });
      return await work(this.#hold(either));
    } finally {
      this.#isHeld = false;
      if (either.aborted) this.#cutAt = this.#heldTypedAt; // D8
      this.#listeners.length = this.#isAttached ? 1 : 0;
      if (!this.#isAttached) this.#end();
      else if (this.#viewers === undefined) this.#alternate(false);
      release();
    }
  }

  /**
   * Holds the terminal until `restore`: turns off echo, sends otherwise unhandled input to the listener, and
   * writes the shared outputs above the drawn region.
   */
  attach(listener: TerminalListener): void {
    if (this.#isAttached || this.hungUp.aborted) return;
    this.#isAttached = true;
    this.#listeners.unshift(listener);
    const { output, shared = [] } = this.#options;
    const former = output.write.bind(output);
    this.#toOutput = (text) => void former(text);
    this.#letGo = [output, ...shared].map((stream) =>
      takeOver(stream, (text, write) => {
        this.screen.append(text, stream === output ? undefined : write);
      }),
    );
    this.#enter();
  }

  /** Sets the view that the view key opens, regardless of the terminal's current holder (D7). */
  viewWith(view: View): void {
    this.#openView = view;
  }
  /** Restores the terminal immediately; for use just before the process exits. */
  restore(): void {
    this.#isAttached = false;
    this.#end();
  }

  #end(): void {
    if (this.#active) this.screen.close();
    this.#leave();
    for (const letGo of this.#letGo) letGo();
    this.#letGo = [];
  }

  #size(): ScreenSize {
    const { output } = this.#options;
    return { columns: sizeOf(output.columns, 80), rows: sizeOf(output.rows, 24) };
  }

  async #view(view: View): Promise<void> {
    const viewers: TerminalListener[] = [];
    const isOver = view(this.#hold(this.hungUp, viewers));
    if (isOver === undefined) return;
    this.#viewers = viewers;
    try {
      await isOver;
    } catch (thrown) {
      if (!this.hungUp.aborted) throw thrown;
    } finally {
      this.#viewers = undefined;
      this.#alternate(false);
      this.#tell({ type: 'continued' });
    }
  }

  #hold(signal: AbortSignal, listeners = this.#listeners): HeldTerminal {
    const size = () => this.#size();
    const isMidKey = () => this.#keys.waiting;
    return {
      get isMidKey() {
        return isMidKey();
      },
      get columns() {
        return size().columns;
      },
      get rows() {
        return size().rows;
      },
      write: (text, about) => {
        this.screen.append(text, undefined, about);
      },
      show: (layer) => this.screen.show(layer),
      raw: (text) => {
        this.#write(text);
      },
      signal,
      alternate: (on) => {
        this.#alternate(on);
      },
      listen: (listener) => listenAmong(listeners, listener),
      handOver: (program) => this.#handOver(program),
    };
  }

  async #handOver<T>(work: () => Promise<T>): Promise<T> {
    this.screen.cover();
    this.#leave();
    try {
      return await work();
    } finally {
      this.#enter();
      this.screen.uncover();
      this.#tell({ type: 'continued' });
    }
  }

  #alternate(on: boolean): void {
    if (on === this.#isAlternate) return;
    this.#isAlternate = on;
    if (on) this.screen.cover();
    this.#write(on ? ALTERNATE_ON : ALTERNATE_OFF);
    if (!on) this.screen.uncover();
  }

  #enter(): void {
    if (this.#active || this.hungUp.aborted) return;
    this.#active = true;
    const { input } = this.#options;
    this.#keys = new KeyDecoder();
    this.#text = new StringDecoder('utf8');
    this.#setRaw(true);
    this.#write(this.#taken);
    this.#taken = PASTE_ON;
    input.on('data', this.#read);
    input.resume();
  }

  #leave(): void {
    if (!this.#active) return;
    this.#active = false;
    this.#waiting.abort();
    const { input } = this.#options;
    input.removeListener('data', this.#read);
    input.pause();
    this.#alternate(false);
    this.#write(GIVEN_BACK);
    this.#setRaw(false);
  }

  #suspend(): void {
    const { signals } = this.#options;
    if (signals === undefined) return;
    this.#tell({ type: 'stopping' });
    this.#alternate(false);
    this.screen.leave();
    this.#leave();
    signals.stop();
    this.#comeBack();
  }

  #comeBack(): void {
    this.#continuedAt = this.#options.clock.now();
    this.#enter();
    this.screen.forget();
    this.#tell({ type: 'continued' });
  }

  readonly #read = (chunk: Uint8Array | string): void => {
    this.#waiting.abort();
    const text = typeof chunk === 'string' ? chunk : this.#text.write(Buffer.from(chunk));
    const events = this.#keys.feed(text);
    this.#take(events);
    const isNew = this.#pasting === undefined || events.some(({ type }) => type === 'paste');
    if (!this.#keys.pasting) this.#pasting = undefined;
    else if (isNew)
      this.#pasting = { of: this.#hearer({ type: 'paste', text: '' }, this.#options.clock.now()) };
    if (this.#keys.waiting && this.#active) this.#flushLater(this.#keys.waitsForKey ? ESCAPE_MS : REPORT_MS);
  };

  #flushLater(ms: number): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#options.clock.sleep(ms, waiting.signal).then(
      () => {
        this.#take(this.#keys.flush());
      },
      () => {
        // More came, or the terminal was given back: then nothing is left to flush.
      },
    );
  }

  #take(events: readonly KeyEvent[]): void {
    const at = this.#options.clock.now();
    const alone = events.length === 1;
    for (const event of events) {
      const view = this.#openView;
      if (event.type === 'key' && event.key.ctrl && event.key.name === 'z') this.#suspend();
      else if (view !== undefined && isViewKey(event) && this.#viewers === undefined && !this.#isAlternate)
        void this.#view(view);
      else this.#tell(event.type === 'key' ? { ...event, at, alone } : { ...event, at });
    }
  }

  #tell(event: TerminalEvent): void {
    if (this.#viewers !== undefined) {
      this.#viewers.at(-1)?.(event); // D7
      return;
    }
    const top = this.#listeners.at(-1); // what nobody hears is dropped
    if (event.type !== 'key' && event.type !== 'paste') {
      top?.(event);
      return;
    }
    const { at } = event;
    const begun = event.type === 'paste' ? this.#pasting : undefined;
    const hearer = begun === undefined ? this.#hearer(event, at) : this.#stillHearing(begun.of);
    this.#noteTyped(event, hearer);
    hearer?.(event);
    if (hearer !== top) top?.({ type: 'typed-on', at, isKept: hearer !== undefined });
  }

  get #line(): TerminalListener | undefined {
    return this.#isAttached ? this.#listeners[0] : undefined;
  }

  /**
   * Returns the listener for a key or a paste: the input line if the key continues text there (D6),
   * `undefined` if the key must be ignored (D8), and otherwise the current holder of the terminal.
   */
  #hearer(event: KeyEvent, at: number): TerminalListener | undefined {
    const top = this.#listeners.at(-1);
    if (partOf(event) === 'other') return top;
    if (this.#line !== undefined && at - this.#typedAt < TYPING_MS) return this.#line;
    const isBetween = this.#isHeld && top === this.#line && at - this.#heldTypedAt < TYPING_MS;
    return isBetween || at - this.#cutAt < TYPING_MS ? undefined : top;
  }

  /**
   * Returns the listener that received the start of a paste, if it still receives keys. Only the input line
   * and the newest listener still receive them.
   */
  #stillHearing(listener: TerminalListener | undefined): TerminalListener | undefined {
    return listener === this.#line || listener === this.#listeners.at(-1) ? listener : undefined;
  }

  #noteTyped(event: KeyEvent & { readonly at: number }, hearer: TerminalListener | undefined): void {
    const { at } = event;
    const part = partOf(event);
    const before =
      hearer === undefined ? this.#cutAt : hearer === this.#line ? this.#typedAt : this.#heldTypedAt;
    const isOn = part === 'text' || (part === 'tab' && at - before < TYPING_MS);
    // What comes at once with Enter belongs to it: a paste without its markers.
    const until = part === 'enter' ? at - TYPING_MS + TOGETHER_MS : isOn ? at : Number.NEGATIVE_INFINITY;
    if (hearer === undefined) this.#cutAt = until;
    else if (hearer === this.#line) this.#typedAt = until;
    else this.#heldTypedAt = until;
    if (part === 'other') this.#cutAt = Number.NEGATIVE_INFINITY;
  }

  #setRaw(on: boolean): void {
    this.#tried(() => this.#options.input.setRawMode?.(on));
  }

  #write(text: string): void {
    this.#tried(() => this.#toOutput(text));
  }

  /** Performs an action. Treats an error such as EIO or EPIPE as a lost terminal (D3). */
  #tried(act: () => unknown): void {
    if (this.hungUp.aborted) return;
    try {
      act();
    } catch {
      this.#gone(); // D3
    }
  }

  #gone(): void {
    if (this.hungUp.aborted) return;
    this.#hangUp.abort(new HitlError('ABORTED', 'the terminal is gone'));
  }
}
