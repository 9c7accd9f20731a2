import type { JsonValue, Message, ModelRequest } from '../../../src/core/index.js';
import { textOf, toolRequestsOf } from '../../../src/core/index.js';
import { replyCount, toolResponsesOf } from '../../../src/models/index.js';

export interface DoneCall {
  readonly name: string;
  /** The input that the tool ran with, including any edit by a person. */
  readonly input: JsonValue;
  readonly output: JsonValue;
  readonly isError: boolean;
}

export interface DemoTurn {
  /** The text of the last user message. */
  readonly said: string;
  /** The calls since that message, grouped by round, in the order of the requests. */
  readonly rounds: readonly (readonly DoneCall[])[];
  /** Whether the model has not replied in this session yet. */
  readonly isFirst: boolean;
  readonly offers: (tool: string) => boolean;
}

/** A tool call that the demo model makes. */
export interface DemoCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** The demo model's next text and calls. */
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

/** Derives the state of the conversation from a request. */
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
