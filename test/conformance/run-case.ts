import { expect } from 'vitest';

import type { JsonObject, TranscriptMessage, TranscriptPart } from '../../src/core/index.js';
import { deepFreeze, isHitlError, isJsonObject } from '../../src/core/index.js';
import type { GenerateEvent, GenerateRequest } from '../../src/engine/index.js';
import { generate } from '../../src/engine/index.js';
import { toolSet } from '../../src/tools/index.js';
import type { ConformanceCase, Expected, ExpectedError, Scenario, Step, Waiting } from './case.js';
import { replayModel, STILL, World } from './world.js';

/** What lies between two calls of `generate`. */
export type Passage =
  /** Messages through JSON, as between two processes. */
  | 'json'
  /** The very objects, as within one. */
  | 'memory';

/** Plays every scenario of a case and compares each step with what it must come to. */
export async function runCase(
  { scenarios }: ConformanceCase,
  passage: Passage = 'json',
): Promise<readonly World[]> {
  const worlds: World[] = [];
  for (const scenario of scenarios) worlds.push(await runScenario(scenario, passage));
  return worlds;
}

async function runScenario(scenario: Scenario, passage: Passage): Promise<World> {
  const world = new World();
  for (const [index, step] of scenario.steps.entries()) {
    const where = `${scenario.name ?? 'scenario'}, step ${index + 1}`;
    await runStep(scenario, step, world, { passage, where });
  }
  scenario.check?.(world);
  return world;
}

interface StepContext {
  readonly passage: Passage;
  readonly where: string;
}

async function runStep(
  scenario: Scenario,
  step: Step,
  world: World,
  { passage, where }: StepContext,
): Promise<void> {
  const events: GenerateEvent[] = [];
  const [ranBefore, askedBefore] = [world.ran.length, world.requests.length];
  const messages = given(step, world, passage);
  const before = structuredClone(messages);
  const ended = await play(scenario, step, world, { messages, onEvent: (event) => void events.push(event) });
  expect.soft(messages, `${where}: the caller's messages are as they were`).toEqual(before);
  compare(ended, step.expect, where);
  if (!('error' in step.expect)) compareEvents(events, step.expect, where);
  if (step.ran !== undefined) expect(world.ran.slice(ranBefore), `${where}: what ran`).toEqual(step.ran);
  if (step.modelCalls !== undefined)
    expect(world.requests.length - askedBefore, `${where}: model calls`).toBe(step.modelCalls);
}

function given(step: Step, world: World, passage: Passage): readonly TranscriptMessage[] {
  const earlier = step.from === undefined ? world.responses.at(-1) : world.responses[step.from];
  const messages = step.messages ?? earlier?.messages ?? [];
  const passed: readonly TranscriptMessage[] =
    passage === 'json' ? JSON.parse(JSON.stringify(messages)) : messages;
  return step.freeze === true ? deepFreeze(passed) : passed;
}

interface Ended {
  readonly result?: object;
  readonly error?: unknown;
}

async function play(
  scenario: Scenario,
  step: Step,
  world: World,
  more: Pick<GenerateRequest, 'messages' | 'onEvent'>,
): Promise<Ended> {
  const { resume, expect: _expect, ran: _ran, modelCalls: _calls, freeze: _freeze, from, ...options } = step;
  const before = from === undefined ? world.responses.at(-1) : world.responses[from];
  const waiting: Waiting = {
    parts: more.messages?.at(-1)?.content.filter((part) => part.toolRequest !== undefined) ?? [],
    interrupts: before?.interrupts ?? [],
  };
  world.stop = new AbortController();
  try {
    const tools = toolSet((scenario.tools?.(world) ?? []).map((tool) => world.watch(tool)));
    const response = await generate(
      {
        ...options,
        ...more,
        model: replayModel(scenario.replies, world),
        clock: STILL,
        tools,
        ...(resume !== undefined && { resume: resume(waiting) }),
      },
      world.stop.signal,
    );
    world.responses.push(response);
    return { result: response };
  } catch (error) {
    world.errors.push(error);
    return { error };
  }
}

function compare({ result, error }: Ended, expected: Expected | ExpectedError, where: string): void {
  if ('error' in expected) {
    const found = isHitlError(error) ? { code: error.code, status: error.status } : { thrown: error };
    const { words = [], ...wanted } = expected.error;
    expect(result, `${where}: it fails`).toBeUndefined();
    expect(found, `${where}: the error (${String(error)})`).toEqual(wanted);
    for (const word of words) expect(String(error), `${where}: the words of the error`).toContain(word);
    return;
  }
  if (error instanceof Error) throw error;
  const response = result as Awaited<ReturnType<typeof generate>>;
  const found = {
    finishReason: response.finishReason,
    messages: genkitMessages(response.messages),
    interrupts: response.interrupts.map(({ payload }) => payload),
    toolRequests: response.toolRequests.length,
    text: response.text,
    usage: response.usage,
  };
  const { chunks: _chunks, streamedInterrupts: _streamed, ...wanted } = expected;
  expect(found, where).toMatchObject(wanted);
  if (expected.messages !== undefined) expect(found.messages, where).toEqual(expected.messages);
  const waits = response.finishReason === 'interrupted';
  expect(response.finishMessage !== undefined, `${where}: a message says why it waits`).toBe(waits);
}

function compareEvents(events: readonly GenerateEvent[], expected: Expected, where: string): void {
  const chunks = events.filter((event) => event.type === 'chunk').map(({ role, index }) => [role, index]);
  const interrupts = events.filter((event) => event.type === 'interrupt');
  if (expected.chunks !== undefined) expect(chunks, `${where}: chunks`).toEqual(expected.chunks);
  if (expected.streamedInterrupts !== undefined)
    expect(
      interrupts.map(({ interrupt }) => interrupt.payload),
      `${where}: streamed interrupts`,
    ).toEqual(expected.streamedInterrupts);
}

/** Messages as Genkit reads them: of what is ours alone only the mark of a failure stays. */
function genkitMessages(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  return messages.map((message) => ({ ...message, content: message.content.map(genkitPart) }));
}

function genkitPart({ metadata, ...part }: TranscriptPart): TranscriptPart {
  if (metadata === undefined) return part;
  const { hitl, ...words } = metadata;
  const error = isJsonObject(hitl) && part.toolResponse !== undefined ? hitl['error'] : undefined;
  const kept: JsonObject = { ...words, ...(error !== undefined && { hitl: { error } }) };
  return Object.keys(kept).length === 0 ? part : { ...part, metadata: kept };
}
