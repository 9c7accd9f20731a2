import type { ToolRef } from '../ids.js';
import type { Message } from '../message/index.js';
import type { CallScene } from './call-scene.js';
import type { Sequence } from '../sequence.js';

/** The name and the surroundings of one run of a tool's body. */
export interface CallName extends CallScene {
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
  readonly sessionId: string;
  readonly messages: Sequence<Message>;
  readonly context: unknown;
  declare readonly signal: AbortSignal;
  readonly #source: { readonly signal: AbortSignal };

  constructor(name: CallName, source: { readonly signal: AbortSignal }) {
    const { ref, idempotencyKey, attempt, sessionId, messages, context } = name;
    this.sessionId = sessionId;
    this.messages = messages;
    this.context = context;
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
