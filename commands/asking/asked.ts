import type { JsonObject } from '../../src/core/index.js';
import type { Question } from './questions.js';

/** A program's question, of any kind: without choices, a form or text it is a request for approval. */
export interface Asked {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly form?: JsonObject;
  readonly text?: boolean;
  readonly facts?: Readonly<Record<string, string>>;
  /** A unified diff. */
  readonly diff?: string;
  readonly approvers?: string;
  readonly timeout?: string;
  readonly onTimeout?: string;
}

/** Returns the tool and input by which a question is asked. They are checked where the question is filed. */
export function askedWith({
  question,
  choices,
  form,
  text,
  facts,
  diff,
  approvers,
  timeout,
  onTimeout,
}: Asked): Pick<Question, 'tool' | 'input'> {
  const input = {
    ...(facts !== undefined && { facts }),
    ...(diff !== undefined && { diff }),
    ...(approvers !== undefined && { approvers }),
    ...(timeout !== undefined && { timeout }),
    ...(onTimeout !== undefined && { onTimeout }),
  };
  if (choices === undefined && form === undefined && text !== true)
    return { tool: 'request_approval', input: { action: question, ...input } };
  return {
    tool: 'ask_human',
    input: {
      question,
      ...(choices !== undefined && { choices: [...choices] }),
      ...(form !== undefined && { form }),
      ...input,
    },
  };
}
