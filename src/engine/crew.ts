import type {
  Call,
  InterruptDraft,
  Interrupt,
  SessionEvent,
  ToolContext,
  TransientEvent,
} from '../core/index.js';
import { HitlError, isoTime, sealAnswer, SecretVault } from '../core/index.js';
import { bindingOf } from './binding.js';
import { Arrivals } from './arrivals.js';
import type { RoundScene } from './call-scene.js';
import { hushed } from './hush.js';
import type { PreparedCall, RunnableCall } from './prepare-call.js';
import { prepareCall } from './prepare-call.js';
import type { RunOptions } from './run-options.js';
import type { ToolRun } from './run-tool.js';
import { runTool } from './run-tool.js';
import type { Stop } from './stop.js';

/** The number of bodies that run at a time. A call that is being prepared counts, too. */
const MOST_AT_ONCE = 8;

/** The news of calls that are on their way. */
export type Arrival =
  | { readonly type: 'ended'; readonly runnable: RunnableCall; readonly run: ToolRun }
  | { readonly type: 'prepared'; readonly calls: readonly PreparedCall[] }
  /** Nothing that a call or a tool does; it ends the run. */
  | { readonly type: 'broken'; readonly count: number; readonly thrown: unknown }
  | { readonly type: 'progress'; readonly event: TransientEvent }
  | Keeping;

/** An event of a body that runs, which waits until it is durable. */
export interface Keeping {
  readonly type: 'keeping';
  readonly event: SessionEvent;
  readonly kept: () => void;
  readonly lost: (why: HitlError) => void;
}

/** The calls of one round on their way, a few at a time: each is prepared when there is room for its body. */
export class Crew {
  readonly #waiting: Call[];
  readonly #scene: RoundScene;
  readonly #options: RunOptions;
  readonly #stop: Stop;
  readonly #make: (draft: InterruptDraft) => Interrupt;
  readonly #arrivals = new Arrivals<Arrival>();
  /** Prepared or run just now. */
  #busy = 0;

  constructor(
    calls: readonly Call[],
    { scene, make }: { readonly scene: RoundScene; readonly make: (draft: InterruptDraft) => Interrupt },
    options: RunOptions,
    stop: Stop,
  ) {
    this.#make = make;
    this.#waiting = [...calls];
    this.#scene = scene;
    this.#options = options;
    this.#stop = stop;
  }

  get isBusy(): boolean {
    return this.#busy > 0;
  }

  /** Begins to prepare as many of the calls that wait as there is room for; none once the stop has come. */
  fill(): void {
    if (this.#waiting.length === 0 || this.#stop.aborted) return;
    const next = this.#waiting.splice(0, MOST_AT_ONCE - this.#busy);
    if (next.length === 0) return;
    this.#busy += next.length;
    const scene = this.#scene;
    void Promise.all(next.map((call) => prepareCall(call, this.#options, scene, this.#stop))).then(
      (calls) => {
        this.#arrivals.put({ type: 'prepared', calls });
      },
      (thrown: unknown) => {
        this.#arrivals.put({ type: 'broken', count: next.length, thrown });
      },
    );
  }

  /** Everything that has arrived, after waiting for at least one thing. What has arrived leaves its room. */
  take(): Promise<readonly Arrival[]> {
    return this.#arrivals.take().then((arrived) => {
      for (const arrival of arrived) this.#busy -= roomOf(arrival);
      return arrived;
    });
  }

  /** Enters the body of a call whose start is durable. */
  enter(runnable: RunnableCall, idempotencyKey: string): void {
    const { ref, name } = runnable.call.request;
    const { clock, runId, vault } = this.#options;
    const progress = (text: string): void => {
      const said = vault === undefined ? text : vault.maskText(text);
      this.#arrivals.put({ type: 'progress', event: { type: 'tool-progress', ref, name, text: said } });
    };
    this.#busy += 1;
    let isOver = false;
    const askAtOnce = this.#asker(runnable, () => isOver);
    const options = { clock, idempotencyKey, progress, askAtOnce, runId, scene: this.#scene };
    void runTool(runnable, options, this.#stop).then((run) => {
      isOver = true;
      const kept = vault === undefined ? run : hushed(run, vault);
      this.#arrivals.put({ type: 'ended', runnable, run: kept });
    });
  }

  /** Makes what a body asks at once durable before anybody is asked, and the answer before the body has it (R7 of `run-tools.ts`). */
  #asker(
    { call, tool, input, title }: RunnableCall,
    isOver: () => boolean,
  ): NonNullable<ToolContext['askAtOnce']> {
    const { clock, runId, vault = new SecretVault() } = this.#options;
    const { ref, name } = call.request;
    /** The question that is open; the next one withdraws it. */
    let asking: string | undefined;
    const keep = (event: SessionEvent): Promise<void> =>
      new Promise((kept, lost) => {
        this.#arrivals.put({ type: 'keeping', event, kept, lost });
      });
    return async (payload, answerSchema) => {
      if (isOver()) throw notAsked();
      const titled = title !== undefined && { title };
      const interrupt = this.#make({
        kind: 'question',
        source: { type: 'tool', ref, name, input, raisedBy: 'tool', ...titled },
        payload: vault.mask(payload),
        answerSchema,
        atOnce: true,
        allowed: ['respond', 'cancel'],
        bound: bindingOf(tool, runId),
      });
      const { id, digest } = interrupt;
      asking = id;
      await keep({ type: 'interrupt-raised', interrupt });
      const schemas = { interrupt, input: undefined, resumed: undefined };
      return {
        interrupt,
        answered: async (resolution, by) => {
          if (isOver() || asking !== id) throw notAsked();
          asking = undefined;
          const { answer, secrets } = sealAnswer({ id, digest, resolution, by }, schemas, vault);
          await keep({
            type: 'interrupt-resolved',
            ...{ id, digest, by, resolution: answer.resolution },
            resolvedAt: isoTime(clock.now()),
            ...(secrets.length > 0 && { secrets }),
          });
        },
      };
    };
  }
}

/** The words to a body whose question is withdrawn: its call is over, or it asked another one. */
export function notAsked(): HitlError {
  return new HitlError('ABORTED', 'the question was withdrawn');
}

function roomOf(arrival: Arrival): number {
  switch (arrival.type) {
    case 'ended':
      return 1;
    case 'prepared':
      return arrival.calls.length;
    case 'broken':
      return arrival.count;
    case 'progress':
    case 'keeping':
      return 0;
  }
}
