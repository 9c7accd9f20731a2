import type { ToolRef } from '../ids.js';
import type { Message } from '../message/index.js';
import type { CallScene } from './call-scene.js';
import type { Sequence } from '../sequence.js';

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
export class CallBase implements CallName, CallScene {
  readonly ref: ToolRef;
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly sessionId: string;
  readonly messages: Sequence<Message>;
  readonly context: unknown;
  declare readonly signal: AbortSignal;
  readonly #source: { readonly signal: AbortSignal };

  constructor(scene: Omit<CallScene, 'ref'>, name: CallName, source: { readonly signal: AbortSignal }) {
    this.sessionId = scene.sessionId;
    this.messages = scene.messages;
    this.context = scene.context;
    this.ref = name.ref;
    this.idempotencyKey = name.idempotencyKey;
    this.attempt = name.attempt;
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
