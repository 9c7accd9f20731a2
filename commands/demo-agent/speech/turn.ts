import type { JsonValue, Message, ModelRequest } from '../../../src/core/index.js';
import { textOf, toolRequestsOf } from '../../../src/core/index.js';
import { replyCount, toolResponsesOf } from '../../../src/models/index.js';

/** A call of this turn that has its result. */
export interface DoneCall {
  readonly name: string;
  /** The input that ran: an edit by the person is in it. */
  readonly input: JsonValue;
  readonly output: JsonValue;
  readonly isError: boolean;
}

/** All that the demo model knows when it is asked: nothing but the request. */
export interface DemoTurn {
  /** The text of the last user message. */
  readonly said: string;
  /** The calls since then, round by round, in source order. */
  readonly rounds: readonly (readonly DoneCall[])[];
  /** True where no model has spoken in this session yet. */
  readonly isFirst: boolean;
  readonly offers: (tool: string) => boolean;
}

/** A call that the demo model wants. */
export interface DemoCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** The text that the demo model says next, and the calls that it wants. */
export interface DemoReply {
  readonly text: string;
  readonly calls?: readonly DemoCall[];
}

function roundOf(request: Message, answer: Message | undefined): readonly DoneCall[] {
  const results = answer === undefined ? [] : toolResponsesOf(answer);
  return toolRequestsOf(request).flatMap(({ ref, name, input }): readonly DoneCall[] => {
    const result = results.find((part) => part.ref === ref);
    return result === undefined
      ? []
      : [{ name, input, output: result.output, isError: result.isError ?? false }];
  });
}

/** Reads where a conversation is from a request. */
export function readTurn(request: ModelRequest): DemoTurn {
  const messages = request.messages.toArray();
  const start = messages.findLastIndex(({ role }) => role === 'user');
  const user = messages[start];
  const rounds: (readonly DoneCall[])[] = [];
  for (let index = start + 1; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.role !== 'model' || toolRequestsOf(message).length === 0) continue;
    rounds.push(roundOf(message, messages[index + 1]));
  }
  return {
    said: user === undefined ? '' : textOf(user).trim(),
    rounds,
    isFirst: replyCount(messages) === 0,
    offers: (tool) => request.tools.some(({ name }) => name === tool),
  };
}
