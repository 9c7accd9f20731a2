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

/** Usage of the demo model, which is free. */
const FREE = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

export interface DemoModelOptions {
  /** Needed with `wordMs`. */
  readonly clock?: Clock;
  /** Pause after each word, in milliseconds. A value of about 15 looks like typing. Default: 0. */
  readonly wordMs?: number;
  /** Whether the demo model introduces itself in the first turn of a session. Default: true. */
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
 * Rules in the order in which they are tried. Rules for exact sentences come first, so that `run echo
 * transfer 5 to X` does not transfer money. Rules that match single words follow.
 */
const RULES = [taskRule, stepsRule, transferRule, balanceRule, barbecueRule, weatherRule];

/** Maximum length of a message that the demo model reads. Longer text was probably pasted. */
const MAX_CHARACTERS = 2000;

const POLITE = /^(?:(?:please|hey|hi|hello|ok(?:ay)?|(?:can|could|would) you)\b[\s,!.]*)+(?=\S)/iu;

/** Returns the reply of the first rule that matches the user's text, or the help text if none matches. */
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
 * Creates a rule-based model for trying hitl without an API key. It introduces itself in its first reply in a
 * session. Replies depend only on the request, so any process can continue the session.
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
