/**
 * Makes signals that abort when one signal does, with its reason. However many there are, that one is listened to once:
 * more than ten listeners are taken for a leak, and a warning goes to the terminal.
 */
export class SignalFan {
  readonly #signal: AbortSignal;
  readonly #children = new Set<AbortController>();
  readonly #abort = (): void => {
    for (const child of this.#children) child.abort(this.#signal.reason);
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** Another signal. */
  child(): AbortSignal {
    const controller = new AbortController();
    this.#children.add(controller);
    if (this.#signal.aborted) controller.abort(this.#signal.reason);
    return controller.signal;
  }

  /** Stops following; the signal holds on to nothing any more. */
  release(): void {
    this.#signal.removeEventListener('abort', this.#abort);
  }
}
