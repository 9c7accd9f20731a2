import { present } from '../../src/core/index.js';
import type { ProgramQuestion } from '../../src/server/index.js';
import type { Question } from './questions.js';

/** A program's question as received; its properties are checked when it is filed. */
type Asked = Omit<ProgramQuestion, 'onTimeout'> & { readonly onTimeout?: string };

/** Returns the tool and input used to ask a question. */
export function askedWith({
  question,
  choices,
  form,
  text,
  ...given
}: Asked): Pick<Question, 'tool' | 'input'> {
  const { facts, diff, approvers, timeout, onTimeout } = given;
  const input = present({ facts, diff, approvers, timeout, onTimeout });
  if (choices === undefined && form === undefined && text !== true)
    return { tool: 'request_approval', input: { action: question, ...input } };
  return { tool: 'ask_human', input: { question, ...present({ choices, form }), ...input } };
}
