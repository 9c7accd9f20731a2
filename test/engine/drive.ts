import type {
  Answer,
  Interrupt,
  JsonValue,
  Resolution,
  RunState,
  SessionEvent,
  Tool,
  TransientEvent,
} from '../../src/core/index.js';
import { evolve, openInterrupts } from '../../src/core/index.js';
import type { RunOptions, RunOutcome } from '../../src/engine/index.js';
import { run } from '../../src/engine/index.js';
import type { FakeClock, ScriptReply } from '../../src/testing/index.js';
import { fakeClock, scriptedModel } from '../../src/testing/index.js';
import { defineTool, toolSet } from '../../src/tools/index.js';
import { ANN, AT } from '../helpers/events.js';

/** Everything that one run told, and where it left the session. */
export interface Driven {
  readonly events: readonly SessionEvent[];
  readonly transient: readonly TransientEvent[];
  readonly outcome: RunOutcome;
  readonly state: RunState;
}

export interface DriveOptions {
  readonly signal?: AbortSignal;
  /** Told of each durable event after it was kept, before the run goes on. */
  readonly kept?: (event: SessionEvent, state: RunState) => void | Promise<void>;
}

/** Drives one run to its next stop, keeping its events as a journal does. */
export async function drive(
  from: RunState,
  options: RunOptions,
  { signal = new AbortController().signal, kept }: DriveOptions = {},
): Promise<Driven> {
  const events: SessionEvent[] = [];
  const transient: TransientEvent[] = [];
  let state = from;
  const steps = run(from, options, signal);
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return { events, transient, outcome: step.value, state };
    if (!step.value.durable) {
      transient.push(step.value.event);
      continue;
    }
    for (const event of step.value.events) {
      state = evolve(state, event);
      events.push(event);
      await kept?.(event, state);
    }
  }
}

/** The state after an answer to one of its open interrupts, the first by default. */
export function answer(state: RunState, resolution: Resolution, id?: string): RunState {
  const open = openInterrupts(state);
  const interrupt = id === undefined ? open[0] : open.find((one) => one.id === id);
  if (interrupt === undefined) throw new Error(`interrupt ${id ?? ''} is not open`);
  return evolve(state, {
    type: 'interrupt-resolved',
    id: interrupt.id,
    digest: interrupt.digest,
    resolution,
    by: ANN,
    resolvedAt: AT,
  });
}

/** An answer as a person gives it. */
export function answerTo({ id, digest }: Interrupt, resolution: Resolution): Answer {
  return { id, digest, resolution, by: ANN };
}

export interface Scene extends Partial<Omit<RunOptions, 'model' | 'tools' | 'clock'>> {
  readonly replies?: readonly (ScriptReply | string)[];
  readonly tools?: readonly Tool[];
  readonly clock?: FakeClock;
}

/** Options of a run with a scripted model, and a clock that stands still. */
export function scene({ replies = ['done'], tools = [], clock = fakeClock(), ...rest }: Scene = {}) {
  const model = scriptedModel(replies);
  return { model, clock, tools: toolSet(tools), runId: 'run', ...rest };
}

/** A reply with these calls; refs are `r1`, `r2`, … unless given. */
export function calls(
  ...tools: readonly (readonly [name: string, input?: JsonValue, ref?: string])[]
): ScriptReply {
  return {
    tools: tools.map(([name, input = {}, ref], index) => ({ name, input, ref: ref ?? `r${index + 1}` })),
  };
}

/** The types of events, with what tells them apart. */
export function names(events: readonly SessionEvent[]): readonly string[] {
  return events.map(nameOf);
}

function nameOf(event: SessionEvent): string {
  if (event.type === 'message-added') return event.message.role;
  if (event.type === 'tool-started') return `started ${event.ref}#${event.attempt}`;
  if (event.type === 'tool-settled')
    return `settled ${event.ref} ${event.outcome.type === 'output' ? 'output' : event.outcome.code}`;
  if (event.type === 'interrupt-raised') return `raised ${event.interrupt.id} ${event.interrupt.kind}`;
  return event.type === 'run-ended' ? `ended ${event.reason.type}` : event.type;
}

/** What the model was last told by tools. */
export function toolOutputs(state: RunState): readonly unknown[] {
  const message = state.entries.toArray().findLast(({ message: { role } }) => role === 'tool')?.message;
  return (message?.content ?? []).map((part) => (part.type === 'tool-response' ? part.output : part));
}

/** A tool without a schema. */
export function tool(
  name: string,
  body: Parameters<typeof defineTool<JsonValue, JsonValue>>[1],
  more: Partial<Parameters<typeof defineTool<JsonValue, JsonValue>>[0]> = {},
): Tool {
  return defineTool<JsonValue, JsonValue>({ name, description: name, input: {}, ...more }, body);
}

/** A promise that is settled from outside. */
export function deferred<T = void>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
} {
  let settle: { resolve: (value: T) => void; reject: (error: unknown) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    promise,
    resolve: (value) => settle?.resolve(value),
    reject: (error) => settle?.reject(error),
  };
}
