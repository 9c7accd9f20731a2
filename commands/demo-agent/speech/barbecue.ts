import type { JsonObject, JsonValue } from '../../../src/core/index.js';
import type { Rule } from './rule.js';
import { callsOf } from './rule.js';
import { memberOf, valueText } from './say.js';

const TOOL = 'ask_user';

const QUESTIONS: readonly JsonObject[] = [
  asking('How many people will come?', ['up to 4', 'up to 10', 'more than 10']),
  { ...asking('What goes on the grill?', ['sausages', 'fish', 'vegetables', 'halloumi']), multiple: true },
  asking('When does it start?', ['at noon', 'in the afternoon', 'in the evening']),
];
const GUESSES = ['up to 10', 'vegetables, sausages', 'in the afternoon'];

/** Pieces of food to plan per guest. */
const PIECES_EACH = 3;

function asking(question: string, choices: readonly string[]): JsonObject {
  return { question, choices: choices.map((label) => ({ label })), allowOther: true };
}

function answerText(output: JsonValue): string {
  return valueText(memberOf(output, 'choices') ?? output);
}

function shopping(people: string, food: string): string {
  const numbers = people.match(/\d+/gu)?.map(Number) ?? [];
  if (numbers.length === 0)
    return `Shopping: ${food}, about ${PIECES_EACH} pieces for each guest, bread and drinks`;
  const least = /more/iu.test(people) ? 'at least ' : '';
  return `Shopping: ${food}, ${least}${Math.max(...numbers) * PIECES_EACH} pieces in total, bread and drinks for ${people}`;
}

function planFor([people = '', food = '', start = '']: readonly string[]): string {
  return [
    `Here is a plan for a barbecue ${start}, with ${people} people:`,
    `1. ${shopping(people, food)}.`,
    '2. Two hours before: marinate the food and chill the drinks.',
    '3. 45 minutes before: light the coals, away from anything that burns.',
    `4. The barbecue starts ${start}: grill ${food}, starting with what takes longest.`,
    '5. Afterwards: pour water on the ashes.',
  ].join('\n');
}

/** Plans a barbecue from the user's answers. */
export const barbecueRule: Rule = (said) => {
  if (!/\b(?:bbq|barbecue)\b/iu.test(said)) return undefined;
  return (turn) => {
    const done = callsOf(turn, TOOL);
    const refused = done.find(({ isError }) => isError);
    if (refused !== undefined)
      return {
        text: `A question was not answered (${valueText(refused.output)}), so I did not make a plan. Ask again any time.`,
      };
    const input = QUESTIONS[done.length];
    if (input === undefined) return { text: planFor(done.map(({ output }) => answerText(output))) };
    if (turn.offers(TOOL))
      return { text: done.length === 0 ? 'A few questions first.' : '', calls: [{ name: TOOL, input }] };
    return {
      text: `I cannot ask you because the tool \`ask_user\` is not available in this session, so I will guess.\n${planFor(GUESSES)}`,
    };
  };
};
