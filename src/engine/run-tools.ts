import type {
  Call,
  InterruptDraft,
  Interrupt,
  SessionEvent,
  Tool,
  ToolErrorCode,
  TransientEvent,
} from '../core/index.js';
import { interruptId, isoTime, makeInterrupt, ROOT_PATH } from '../core/index.js';
import { Mailbox } from './mailbox.js';
import type { PreparedCall } from './prepare-call.js';
import { prepareCall } from './prepare-call.js';
import type { EngineEvent, RunOptions } from './run-options.js';
import type { ToolRun } from './run-tool.js';
import { runTool } from './run-tool.js';

// Invariants:
// R1 `tool-started` of every call is yielded, and so durable, before any body is entered (G9).
// R2 Each call is told of as soon as it settles; a sibling's failure never stops or hides another's result (G15).
// R3 Leaving the generator early stops every body and waits for it.

type Arrival =
  | { readonly type: 'ended'; readonly call: Call; readonly tool: Tool; readonly run: ToolRun }
  | { readonly type: 'progress'; readonly event: TransientEvent };

/** A call that was told to stop and did not; it stays `started`. */
export interface AbandonedCall {
  readonly call: Call;
  readonly tool: Tool;
}

/** What a round of tools left behind beside its events. */
export interface RoundResult {
  /** What tools threw, in the order in which they failed. */
  readonly errors: readonly unknown[];
  readonly abandoned: readonly AbandonedCall[];
}

/** Numbers the interrupts of one round. */
export class InterruptFactory {
  #count: number;
  readonly #now: () => number;

  constructor(count: number, now: () => number) {
    this.#count = count;
    this.#now = now;
  }

  make(draft: InterruptDraft): Interrupt {
    this.#count += 1;
    const raisedAt = isoTime(this.#now());
    return makeInterrupt(draft, { id: interruptId(`i${this.#count}`), path: ROOT_PATH, raisedAt });
  }
}

/** Runs calls at once, and tells of each as it settles. */
export async function* runTools(
  calls: readonly Call[],
  interrupts: InterruptFactory,
  options: RunOptions,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, RoundResult> {
  const prepared = await Promise.all(calls.map((call) => prepareCall(call, options.tools, signal)));
  yield { durable: true, events: prepared.map((one) => firstEvent(one, interrupts, options)) }; // R1
  const mailbox = new Mailbox<Arrival>();
  const stop = new AbortController();
  const scope = AbortSignal.any([signal, stop.signal]);
  const running = prepared
    .filter((one) => one.type === 'run')
    .map((one) => launch(one, mailbox, options, scope));
  const round: Round = { errors: [], abandoned: [], interrupts, options };
  try {
    let left = running.length;
    while (left > 0) {
      const arrivals = await mailbox.take();
      for (const { event } of arrivals.filter((arrival) => arrival.type === 'progress'))
        yield { durable: false, event };
      const ended = arrivals.filter((arrival) => arrival.type === 'ended');
      left -= ended.length;
      const events = ended.flatMap((arrival) => lastEvents(arrival, round));
      if (events.length > 0) yield { durable: true, events }; // R2
    }
    return round;
  } finally {
    stop.abort(); // R3
    await Promise.allSettled(running);
  }
}

/** What a round of tools collects while it runs. */
interface Round extends RoundResult {
  readonly errors: unknown[];
  readonly abandoned: AbandonedCall[];
  readonly interrupts: InterruptFactory;
  readonly options: RunOptions;
}

function firstEvent(prepared: PreparedCall, interrupts: InterruptFactory, options: RunOptions): SessionEvent {
  const { call } = prepared;
  const { ref, name } = call.request;
  switch (prepared.type) {
    case 'settle':
      return { type: 'tool-settled', ref, outcome: prepared.outcome };
    case 'ask':
      return { type: 'interrupt-raised', interrupt: interrupts.make(prepared.draft) };
    case 'run':
      return {
        type: 'tool-started',
        ref,
        name,
        attempt: call.attempts + 1,
        input: prepared.input,
        effect: prepared.tool.effect,
        idempotencyKey: idempotencyKey(call, options),
        startedAt: isoTime(options.clock.now()),
      };
  }
}

function idempotencyKey(call: Call, options: RunOptions): string {
  return `${options.runId}:${call.request.ref}`;
}

async function launch(
  { call, tool, input }: PreparedCall & { type: 'run' },
  mailbox: Mailbox<Arrival>,
  options: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const { ref, name } = call.request;
  const progress = (text: string): void => {
    mailbox.put({ type: 'progress', event: { type: 'tool-progress', ref, name, text } });
  };
  const { clock } = options;
  const run = await runTool(
    tool,
    call,
    { input, clock, idempotencyKey: idempotencyKey(call, options), progress },
    signal,
  );
  mailbox.put({ type: 'ended', call, tool, run });
}

function lastEvents({ call, tool, run }: Arrival & { type: 'ended' }, round: Round): readonly SessionEvent[] {
  const { ref, name } = call.request;
  switch (run.type) {
    case 'abandoned':
      round.abandoned.push({ call, tool });
      return [];
    case 'interrupted':
      return [{ type: 'interrupt-raised', interrupt: round.interrupts.make(run.draft) }];
    case 'settled': {
      const { outcome } = run;
      if (run.error !== undefined) round.errors.push(run.error);
      const asks = round.options.onToolError === 'ask' && outcome.type === 'error' && ASKED.has(outcome.code);
      if (!asks) return [{ type: 'tool-settled', ref, outcome }];
      const source = { type: 'tool', ref, name, input: call.input, raisedBy: 'engine' } as const;
      const payload = { code: outcome.code, message: outcome.message };
      return [
        { type: 'interrupt-raised', interrupt: round.interrupts.make({ kind: 'error', source, payload }) },
      ];
    }
  }
}

/** The failures that a person can do something about; the rest is for the model. */
const ASKED: ReadonlySet<ToolErrorCode> = new Set(['failed', 'timeout']);
