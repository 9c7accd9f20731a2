import type { JsonValue } from '../../../src/core/index.js';
import { callsOf } from './rule.js';
import { memberOf, valueText } from './say.js';
import type { DemoReply, DemoTurn } from './turn.js';

const TOOL = 'ask_user';

/** A question for the person; `choices` are offered, and another answer is taken too. */
export interface Question {
  readonly question: string;
  readonly choices?: readonly string[];
  /** Several choices may be taken. Default false. */
  readonly multiple?: boolean;
}

export type Asked =
  | { readonly type: 'answered'; readonly answers: readonly string[] }
  /** The person did not want to answer; `why` is what the result says. */
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'asking'; readonly reply: DemoReply }
  | { readonly type: 'cannot-ask' };

/** The answer in whatever form the person or the tool gave it. */
function answerText(output: JsonValue): string {
  const inner = memberOf(output, 'answer', 'answers', 'choice', 'choices', 'value', 'text') ?? output;
  if (inner === true) return 'yes';
  if (inner === false) return 'no';
  return valueText(inner);
}

/** Asks one question after the other, and has their answers when all were given. */
export function askAll(turn: DemoTurn, questions: readonly Question[], before = ''): Asked {
  const done = callsOf(turn, TOOL);
  const refused = done.find(({ isError }) => isError);
  if (refused !== undefined) return { type: 'refused', why: valueText(refused.output) };
  const next = questions[done.length];
  if (next === undefined) return { type: 'answered', answers: done.map(({ output }) => answerText(output)) };
  if (!turn.offers(TOOL)) return { type: 'cannot-ask' };
  const { question, choices, multiple } = next;
  const offered =
    choices === undefined ? {} : { choices: choices.map((label) => ({ label })), allowOther: true };
  const input = { question, ...offered, ...(multiple !== undefined && { multiple }) };
  return { type: 'asking', reply: { text: done.length === 0 ? before : '', calls: [{ name: TOOL, input }] } };
}
