import { tmpdir } from 'node:os';

import type {
  Message,
  Model,
  ModelEvent,
  ModelReply,
  ModelRequest,
  RunState,
  Tool,
} from '../../src/core/index.js';
import { AppendList, openInterrupts, textOf } from '../../src/core/index.js';
import { run } from '../../src/engine/index.js';
import type { ChannelStep, MemoryJournal } from '../../src/testing/index.js';
import { fakeClock, memoryJournal, scriptedChannel } from '../../src/testing/index.js';
import { builtinTools, toolSet } from '../../src/tools/index.js';

export const never: AbortSignal = new AbortController().signal;

/** A message of text. */
export function text(role: Message['role'], words: string): Message {
  return { role, content: [{ type: 'text', text: words }] };
}

/** A request with these messages, and tools of these names. */
export function requestOf(messages: readonly Message[], tools: readonly string[] = []): ModelRequest {
  const descriptors = tools.map((name) => {
    return {
      name,
      description: name,
      inputSchema: {},
      effect: 'none',
      origin: 'test',
      restartable: true,
    } as const;
  });
  return { messages: AppendList.of(messages), tools: descriptors };
}

/** Everything that a model streams for a request. */
export async function eventsOf(model: Model, request: ModelRequest): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.generate(request, never)) events.push(event);
  return events;
}

/** The reply of a model. */
export async function replyOf(model: Model, request: ModelRequest): Promise<ModelReply> {
  const last = (await eventsOf(model, request)).at(-1);
  if (last?.type !== 'reply') throw new Error('the stream ended without a reply');
  return last.reply;
}

/** The tools of the product, acting in a folder. */
export function builtinsIn(folder: string): readonly Tool[] {
  return builtinTools({
    sandbox: { mode: 'off' },
    cwd: folder,
    home: '/nowhere',
    env: { PATH: process.env['PATH'] },
    clock: fakeClock(),
  });
}

/** The question tool of the product. */
export function askUserTool(): Tool {
  return builtinsIn(tmpdir()).find(({ name }) => name === 'ask_user')!;
}

export interface Conversation {
  readonly said: readonly string[];
  readonly model: () => Model;
  readonly tools?: readonly Tool[];
  readonly answers?: readonly ChannelStep[];
}

export interface Conversed {
  readonly journal: MemoryJournal;
  readonly state: RunState;
  /** What the model said, reply by reply. */
  readonly replies: readonly string[];
  /** What it called, reply by reply, as `name(input)`. */
  readonly calls: readonly (readonly string[])[];
}

/** Runs user turns to their ends, answering what is asked; every run has a new model, as a new process would. */
export async function converse({ said, model, tools = [], answers = [] }: Conversation): Promise<Conversed> {
  const clock = fakeClock({ auto: true });
  const channel = scriptedChannel(answers);
  const set = toolSet(tools);
  const journal = memoryJournal([
    { type: 'session-created', agent: { model: 'test', tools: set.descriptors } },
  ]);
  for (const words of said) {
    await journal.append([{ type: 'message-added', message: text('user', words) }]);
    do await runToStop();
    while (await answer());
  }
  channel.assertAllUsed();

  async function runToStop(): Promise<void> {
    const steps = run(journal.state, { model: model(), tools: set, clock, runId: 'test' }, never);
    for (let step = await steps.next(); step.done !== true; step = await steps.next()) {
      if (step.value.durable) await journal.append(step.value.events);
    }
  }

  async function answer(): Promise<boolean> {
    const open = openInterrupts(journal.state);
    if (open.length === 0) return false;
    const result = await channel.ask(open, journal.state, never);
    if (result.type === 'left-open') return false;
    const { id, digest, resolution, by } = result.answer;
    const resolvedAt = new Date(clock.now()).toISOString();
    await journal.append([{ type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt }]);
    return true;
  }

  const spoken = [...journal.state.entries]
    .map(({ message }) => message)
    .filter(({ role }) => role === 'model');
  const calls = spoken.map(({ content }) =>
    content.flatMap((part) =>
      part.type === 'tool-request' ? [`${part.name}(${JSON.stringify(part.input)})`] : [],
    ),
  );
  return { journal, state: journal.state, replies: spoken.map(textOf), calls };
}
