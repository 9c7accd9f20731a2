import type { Call, InterruptOptions, JsonValue, ToolContext } from '../core/index.js';
import { InterruptSignal } from './interrupt-signal.js';
import type { Stop } from './stop.js';

/** What the round knows of a call beside the call. */
export interface CallContextOptions {
  readonly idempotencyKey: string;
  readonly progress: (text: string) => void;
}

/** What a body is given beside its input. Its methods need no `this`: bodies take them out of it. */
export class CallContext implements ToolContext {
  readonly ref: ToolContext['ref'];
  readonly idempotencyKey: string;
  readonly attempt: number;
  declare readonly resumed?: JsonValue;
  declare readonly originalInput?: JsonValue;
  declare readonly approved?: NonNullable<ToolContext['approved']>;
  readonly progress: (text: string) => void;
  readonly interrupt: (payload?: JsonValue, options?: InterruptOptions) => never;
  declare readonly signal: AbortSignal;
  readonly #stop: Stop;
  #raised: InterruptSignal | undefined;

  constructor(call: Call, { idempotencyKey, progress }: CallContextOptions, stop: Stop) {
    const { request, attempts, resumed, originalInput, approval } = call;
    this.ref = request.ref;
    this.idempotencyKey = idempotencyKey;
    this.attempt = attempts + 1;
    if (resumed !== undefined) this.resumed = resumed;
    if (originalInput !== undefined) this.originalInput = originalInput;
    if (approval !== undefined) this.approved = { shown: approval.shown, edited: approval.edited };
    this.progress = progress;
    this.interrupt = (payload, options) => {
      this.#raised ??= new InterruptSignal(payload, options);
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- a signal, not an error: nothing went wrong
      throw this.#raised;
    };
    this.#stop = stop;
    Object.defineProperty(this, 'signal', CallContext.#SIGNAL);
  }

  /** Made when the body looks at it: most do not. A member of its own, so that a copy of the context has it too. */
  static readonly #SIGNAL = {
    enumerable: true,
    get(this: CallContext): AbortSignal {
      return this.#stop.signal;
    },
  };

  /** What the body raised, whether it let it through or caught it. */
  get raised(): InterruptSignal | undefined {
    return this.#raised;
  }
}
