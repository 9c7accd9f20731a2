import type { Clock } from '../../core/index.js';
import type { HeldTerminal, TerminalEvent } from '../device/ports.js';
import type { Key } from '../device/keys.js';
import { Arming, TOGETHER_MS } from '../device/arming.js';
import type { Refused } from '../question/key-words.js';

export interface GuardedListener {
  /** Called for each key that was pressed deliberately. */
  readonly key: (key: Key) => void;
  readonly refused: (why: Refused) => void;
  /** Called when a suspended process continues, so that a screen can redraw itself. Default: nothing. */
  readonly redraw?: () => void;
  readonly stopping?: () => void;
  /**
   * Whether a key makes a decision. Other keys are accepted as soon as the prompt is armed. Default: all keys
   * decide.
   */
  readonly decides?: (key: Key) => boolean;
  /**
   * Whether a key is known. An unknown key may be part of typed text, so the prompt then waits for a pause
   * before it accepts keys again. Default: all keys are known.
   */
  readonly knows?: (key: Key) => boolean;
}

/**
 * Passes on only deliberate keys, which are not too early, not pasted and not combined with others (G30). A
 * key is accepted if no other key follows immediately. Ctrl-C, Ctrl-D and Esc are always accepted, because
 * they do not decide anything.
 */
export function listenGuarded(terminal: HeldTerminal, clock: Clock, listener: GuardedListener): () => void {
  const keys = new GuardedKeys(terminal, clock, listener);
  const stop = terminal.listen((event) => {
    keys.hear(event);
  });
  return () => {
    keys.drop();
    stop();
  };
}

/** Filters a terminal's events for deliberate keys. */
export class GuardedKeys {
  readonly #arming: Arming;
  readonly #terminal: Pick<HeldTerminal, 'isMidKey'>;
  readonly #clock: Clock;
  readonly #listener: GuardedListener;
  /** The pending key, which is accepted unless another key follows immediately. */
  #held: AbortController | undefined;
  #pressedAt = Number.NEGATIVE_INFINITY;

  constructor(terminal: Pick<HeldTerminal, 'isMidKey'>, clock: Clock, listener: GuardedListener) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#listener = listener;
    this.#arming = new Arming(clock.now());
  }

  /** Handles a terminal event. */
  hear(event: TerminalEvent): void {
    switch (event.type) {
      case 'key':
        this.#press(event);
        return;
      case 'paste':
        this.#refuse('paste', event.at);
        return;
      case 'typed-on':
        this.#refuse(event.isKept ? 'typed' : 'rest', event.at);
        return;
      case 'stopping':
        this.drop();
        this.#listener.stopping?.();
        return;
      case 'asked':
        return;
      case 'continued':
      case 'resized':
        // It was meant for what stood there before.
        if (this.drop()) this.#listener.refused('early');
        this.#arming.restart(this.#clock.now());
        if (event.type === 'continued') this.#listener.redraw?.();
        return;
    }
  }

  /** Discards the pending key. Returns whether there was one. */
  drop(): boolean {
    const held = this.#held;
    this.#held = undefined;
    held?.abort();
    return held !== undefined;
  }

  #press({ key, at, alone }: TerminalEvent & { type: 'key' }): void {
    const { decides } = this.#listener;
    const isAlone = alone && at - this.#pressedAt >= TOGETHER_MS;
    this.#pressedAt = at;
    if (isLeaving(key)) {
      this.drop(); // what came just before it was not meant to decide
      this.#listener.key(key);
    } else if (this.drop()) this.#refuse('burst', at);
    else if (decides !== undefined && !decides(key)) this.#pass(key, at);
    else if (!isAlone) this.#refuse('burst', at);
    else if (this.#arming.accepts(at)) this.#hold(key);
    else this.#refuse('early', at);
  }

  #pass(key: Key, at: number): void {
    if (this.#arming.accepts(at)) this.#give(key);
    else this.#refuse('early', at);
  }

  #give(key: Key): void {
    if (this.#listener.knows?.(key) === false) this.#arming.disturb(this.#clock.now());
    this.#listener.key(key);
  }

  #refuse(why: Refused, at: number): void {
    this.drop();
    if (why !== 'early') this.#arming.disturb(at);
    this.#listener.refused(why);
  }

  /**
   * Waits until no more input can belong to the same key press. Also waits for the rest of an incomplete
   * sequence, which may turn out to be Esc (another key) or a terminal report (not a key).
   */
  async #untilAlone(signal: AbortSignal): Promise<void> {
    do await this.#clock.sleep(TOGETHER_MS, signal);
    while (this.#terminal.isMidKey);
  }

  #hold(key: Key): void {
    const held = new AbortController();
    this.#held = held;
    this.#untilAlone(held.signal).then(
      () => {
        if (this.#held !== held) return;
        this.#held = undefined;
        this.#give(key);
      },
      () => {
        // Another key came with it, or the prompt is gone: it does not count.
      },
    );
  }
}

function isLeaving(key: Key): boolean {
  return key.name === 'escape' || (key.ctrl && (key.name === 'c' || key.name === 'd'));
}
