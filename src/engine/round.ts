import type {
  Call,
  Interrupt,
  InterruptDraft,
  SessionEvent,
  ToolErrorCode,
  ToolOutcome,
} from '../core/index.js';
import { isoTime, withCallPeople } from '../core/index.js';
import type { PreparedCall, RunnableCall } from './prepare-call.js';
import { atStart } from './prepare-call.js';
import { bindingOf } from './binding.js';
import type { InterruptMint, RunOptions } from './run-options.js';
import type { ToolRun } from './run-tool.js';
import type { ToolFailure } from './tool-failure.js';

/** The failures that a person can do something about; the rest is for the model. */
const ASKED: ReadonlySet<ToolErrorCode> = new Set(['failed', 'timeout']);

/** Makes the events of one round of tools. */
export class Round {
  /** In the order in which they happened. */
  readonly failures: ToolFailure[] = [];
  readonly #interrupts: InterruptMint;
  readonly #options: RunOptions;

  constructor(interrupts: InterruptMint, options: RunOptions) {
    this.#interrupts = interrupts;
    this.#options = options;
  }

  /** The same for every attempt of one call. */
  idempotencyKey(call: Call): string {
    return `${this.#options.runId}:${call.request.ref}`;
  }

  /** The call as it is found when its start, or its question, is journaled; with the event for that. */
  begun(found: PreparedCall): { readonly prepared: PreparedCall; readonly event: SessionEvent } {
    const now = this.#options.clock.now();
    const prepared = atStart(found, now, this.#options.runId);
    return { prepared, event: this.#firstEvent(prepared, now) };
  }

  #firstEvent(prepared: PreparedCall, now: number): SessionEvent {
    const { call } = prepared;
    const { ref, name } = call.request;
    switch (prepared.type) {
      case 'settle':
        return this.#settled(call, prepared.outcome);
      case 'ask':
        return this.#raised(call, prepared.draft);
      case 'run':
        return {
          type: 'tool-started',
          ref,
          name,
          attempt: call.attempts + 1,
          input: prepared.input,
          effect: prepared.tool.effect,
          idempotencyKey: this.idempotencyKey(call),
          startedAt: isoTime(now),
          ...(prepared.title !== undefined && { title: prepared.title }),
          ...(prepared.plan !== undefined && { plan: prepared.plan }),
          ...(prepared.tool.code !== undefined && { code: prepared.tool.code }),
        };
    }
  }

  /**
   * Makes the events of a body's end. Nothing is known of an abandoned body: its call stays started, and is in doubt.
   */
  lastEvents(runnable: RunnableCall, run: ToolRun): readonly SessionEvent[] {
    switch (run.type) {
      case 'abandoned':
        return [];
      case 'interrupted':
        return [this.#raised(runnable.call, run.draft)];
      case 'settled': {
        const { outcome, error } = run;
        const asks =
          this.#options.onToolError === 'ask' && outcome.type === 'error' && ASKED.has(outcome.code);
        return [
          asks
            ? this.#raised(runnable.call, errorDraft(runnable, outcome, this.#options.runId))
            : this.#settled(runnable.call, outcome, error),
        ];
      }
    }
  }

  /** Makes the question that a body asks while it runs. */
  asked(draft: InterruptDraft): Interrupt {
    return this.#interrupts.make(draft);
  }

  #settled(call: Call, outcome: ToolOutcome, thrown?: unknown): SessionEvent {
    if (outcome.type === 'error') this.failures.push({ call, outcome, thrown });
    return { type: 'tool-settled', ref: call.request.ref, outcome };
  }

  #raised(call: Call, draft: InterruptDraft): SessionEvent {
    return { type: 'interrupt-raised', interrupt: this.#interrupts.make(withCallPeople(call, draft)) };
  }
}

function errorDraft(
  { call: { request }, tool, input, title }: RunnableCall,
  { code, message }: ToolOutcome & { type: 'error' },
  runId: string,
): InterruptDraft {
  const { ref, name } = request;
  return {
    kind: 'error',
    source: { type: 'tool', ref, name, input, raisedBy: 'engine', ...(title !== undefined && { title }) },
    payload: { code, message },
    ...(tool.outputSchema !== undefined && { answerSchema: tool.outputSchema }),
    bound: bindingOf(tool, runId),
  };
}
