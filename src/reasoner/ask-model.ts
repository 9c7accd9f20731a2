import type { Model, ModelReply, ResolutionAction } from '../core/index.js';
import { AppendList, textPart } from '../core/index.js';
import { actionTools, readCall } from './action-tools.js';
import type { Said } from './action-tools.js';
import { SYSTEM } from './prompt.js';

const MAX_OUTPUT_TOKENS = 1_024;

/** One request. */
export interface ModelQuestion {
  readonly prompt: string;
  readonly offered: readonly ResolutionAction[];
  /** Instructions added after the standard ones. */
  readonly instruction?: string;
}

/** A model's reply and its token usage. */
export interface Asked {
  readonly said: Said;
  readonly usage?: NonNullable<ModelReply['usage']>;
}

/**
 * Sends one request to a model.
 * @throws the model's errors
 */
export async function askModel(
  model: Model,
  { prompt, offered, instruction }: ModelQuestion,
  signal: AbortSignal,
): Promise<Asked> {
  const messages = AppendList.of([{ role: 'user', content: [textPart(prompt)] } as const]);
  const system = instruction === undefined ? SYSTEM : `${SYSTEM}\n\n${instruction}`;
  const request = { system, messages, tools: actionTools(offered), maxOutputTokens: MAX_OUTPUT_TOKENS };
  let reply: ModelReply | undefined;
  for await (const event of model.generate(request, signal)) if (event.type === 'reply') reply = event.reply;
  if (reply === undefined) return { said: { type: 'bad', why: 'there was no reply' } };
  return { said: readReply(reply, offered), ...(reply.usage !== undefined && { usage: reply.usage }) };
}

function readReply({ content }: ModelReply, offered: readonly ResolutionAction[]): Said {
  const calls = content.filter((part) => part.type === 'tool-request');
  const [call] = calls;
  if (call === undefined) return { type: 'bad', why: 'no tool was called' };
  if (calls.length > 1) return { type: 'bad', why: `${calls.length} tools were called instead of one` };
  if (call.problem !== undefined) return { type: 'bad', why: `${call.name}: ${call.problem}` };
  return readCall(call.name, call.input, offered);
}
