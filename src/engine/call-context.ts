import type { Call, InterruptOptions, JsonValue, ToolContext } from '../core/index.js';
import { CallBase, InterruptSignal } from '../core/index.js';
import type { RoundScene } from './call-scene.js';
import type { Stop } from './stop.js';

/** The call, with the values that its body is given in the place of masks. */
export interface Entered {
  readonly call: Call;
  readonly given?: { readonly resumed?: JsonValue };
}

/** The facts of a call that its round knows. */
export interface CallContextOptions {
  readonly idempotencyKey: string;
  readonly scene: RoundScene;
  readonly progress: (text: string) => void;
  readonly askAtOnce: NonNullable<ToolContext['askAtOnce']>;
}

/** The value that the approval of a call passed on: a body that asked itself has it as `resumed`. */
function passedOn({ resolved }: Call): Pick<NonNullable<ToolContext['approved']>, 'metadata'> {
  if (resolved?.resolution.action !== 'restart' || resolved.interrupt.source.type !== 'tool') return {};
  const { metadata } = resolved.resolution;
  return metadata === undefined || resolved.interrupt.source.raisedBy === 'tool' ? {} : { metadata };
}

/** The context that a body is given beside its input. Its methods need no `this`: bodies take them out of it. */
export class CallContext extends CallBase implements ToolContext {
  declare readonly resumed?: JsonValue;
  declare readonly originalInput?: JsonValue;
  declare readonly approved?: NonNullable<ToolContext['approved']>;
  readonly progress: (text: string) => void;
  readonly askAtOnce: NonNullable<ToolContext['askAtOnce']>;
  readonly interrupt: (payload?: JsonValue, options?: InterruptOptions) => never;
  #raised: InterruptSignal | undefined;

  constructor(
    { call, given }: Entered,
    { idempotencyKey, progress, askAtOnce, scene }: CallContextOptions,
    stop: Stop,
  ) {
    const { request, attempts, originalInput, approval } = call;
    super(scene, { ref: request.ref, idempotencyKey, attempt: attempts + 1 }, stop);
    const resumed = given?.resumed === undefined ? call.resumed : given.resumed;
    if (resumed !== undefined) this.resumed = resumed;
    if (originalInput !== undefined) this.originalInput = originalInput;
    if (approval !== undefined)
      this.approved = { shown: approval.shown, edited: approval.edited, ...passedOn(call) };
    this.progress = progress;
    this.askAtOnce = askAtOnce;
    this.interrupt = (payload, options) => {
      this.#raised ??= new InterruptSignal(payload, options);
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- a signal, not an error: nothing went wrong
      throw this.#raised;
    };
  }

  /** The interrupt that the body raised, whether it let it through or caught it. */
  get raised(): InterruptSignal | undefined {
    return this.#raised;
  }
}
