import type { ToolRef } from '../ids.js';

/** The name of one run of a tool's body. */
export interface CallName {
  readonly ref: ToolRef;
  readonly idempotencyKey: string;
  /** Counts from 1. */
  readonly attempt: number;
}

/**
 * The part of a tool's context that whoever hands a context on takes over as it is. The signal is asked of `source`
 * when the body looks at it: most do not, and signals are dear. It is a member of its own all the same, so that a copy
 * of the context has it too.
 */
export class CallBase implements CallName {
  readonly ref: ToolRef;
  readonly idempotencyKey: string;
  readonly attempt: number;
  declare readonly signal: AbortSignal;
  readonly #source: { readonly signal: AbortSignal };

  constructor({ ref, idempotencyKey, attempt }: CallName, source: { readonly signal: AbortSignal }) {
    this.ref = ref;
    this.idempotencyKey = idempotencyKey;
    this.attempt = attempt;
    this.#source = source;
    Object.defineProperty(this, 'signal', CallBase.#SIGNAL);
  }

  /** One for all: an object whose accessors are its own has a hidden class of its own. */
  static readonly #SIGNAL = {
    enumerable: true,
    get(this: CallBase): AbortSignal {
      return this.#source.signal;
    },
  };
}
