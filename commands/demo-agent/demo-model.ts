import type { Clock, ModelEvent, ModelReply, ModelRequest, Part } from '../../src/core/index.js';
import { textPart, toolRef } from '../../src/core/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import { refMinter, streamReply } from '../../src/models/index.js';
import type { DemoReply, DemoTurn } from './speech/turn.js';
import { readTurn } from './speech/turn.js';
import { barbecueRule } from './speech/barbecue.js';
import { help } from './speech/help.js';
import { balanceRule, transferRule } from './speech/money.js';
import { stepsRule } from './speech/steps.js';
import { taskRule } from './speech/tasks.js';
import { weatherRule } from './speech/weather.js';

const INTRODUCTION = 'I’m hitl’s built-in demo model. I follow a script; I’m not an AI model.';

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
 * Sentences to the letter come first, so that `run echo transfer 5 to X` moves no money; then what is recognised by a
 * word anywhere in the text.
 */
const RULES = [taskRule, stepsRule, transferRule, balanceRule, barbecueRule, weatherRule];

/** More than anybody asks a demo for; what is pasted is not searched for orders. */
const MAX_CHARACTERS = 2000;

const POLITE = /^(?:(?:please|hey|hi|hello|ok(?:ay)?|(?:can|could|would) you)\b[\s,!.]*)+(?=\S)/iu;

/** Decides what the demo model says next: the first rule that understands the user's text makes the reply. */
function decide(turn: DemoTurn): DemoReply {
  if (turn.said.length > MAX_CHARACTERS) {
    return {
      text: `That is too long for me: I read up to ${MAX_CHARACTERS} characters.`,
    };
  }
  const request = turn.said.replace(POLITE, '');
  for (const rule of RULES) {
    const plan = rule(request);
    if (plan !== undefined) return plan(turn);
  }
  return help(turn);
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
