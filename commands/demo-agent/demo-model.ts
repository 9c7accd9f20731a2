import type { Clock, ModelEvent, ModelReply, ModelRequest, Part } from '../../src/core/index.js';
import { textPart, toolRef } from '../../src/core/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import { refMinter, streamReply } from '../../src/models/index.js';
import { decide } from './speech/decide.js';
import type { DemoReply } from './speech/turn.js';
import { readTurn } from './speech/turn.js';

const INTRODUCTION = 'I am the demo model that is built into hitl: rules, not intelligence.';

/** It reads no tokens and costs nothing, which is known and not a guess. */
const FREE = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

export interface DemoModelOptions {
  /** Needed with `wordMs`. */
  readonly clock?: Clock;
  /** Pause after each word, in milliseconds; about 15 looks like typing. Default 0. */
  readonly wordMs?: number;
  /** Whether it says in a session's first turn what it is. Default true. */
  readonly introduces?: boolean;
}

function toReply({ text, calls = [] }: DemoReply, request: ModelRequest): ModelReply {
  const refAt = refMinter(request);
  const requests = calls.map(({ name, input }, index): Part => ({
    type: 'tool-request',
    ref: toolRef(refAt(index)),
    name,
    input,
  }));
  const said = text === '' ? [] : [textPart(text)];
  return { content: [...said, ...requests], end: calls.length > 0 ? 'tool-use' : 'stop', usage: FREE };
}

/**
 * A model made of rules, for trying the product without a key; it says so in the first reply of a session.
 * What it replies is a function of the request alone, so a session goes on in any process.
 */
export function createDemoModel({
  clock,
  wordMs = 0,
  introduces = true,
}: DemoModelOptions = {}): CreatedModel {
  const pacing = clock === undefined ? undefined : { clock, wordMs };
  async function* generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const turn = readTurn(request);
    const reply = decide(turn);
    const text = turn.isFirst && introduces ? `${INTRODUCTION}\n\n${reply.text}` : reply.text;
    yield* streamReply(toReply({ ...reply, text }, request), pacing, signal);
  }
  return { id: 'demo', takesMedia: false, generate };
}
