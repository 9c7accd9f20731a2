import type { Question } from './ask.js';
import { askAll } from './ask.js';
import type { Rule } from './rule.js';

const QUESTIONS: readonly Question[] = [
  { question: 'How many people will come?', choices: ['up to 4', '5 to 10', 'more than 10'] },
  {
    question: 'What goes on the grill?',
    choices: ['sausages', 'fish', 'vegetables', 'halloumi'],
    multiple: true,
  },
  { question: 'When does it start?', choices: ['at noon', 'in the afternoon', 'in the evening'] },
];
const GUESSES = ['5 to 10', 'vegetables, sausages', 'in the afternoon'];

/** Pieces of food for each guest, by a rule of thumb. */
const PIECES_EACH = 3;

function shopping(people: string, food: string): string {
  const numbers = people.match(/\d+/gu)?.map(Number) ?? [];
  const guests = numbers.length === 0 ? undefined : Math.max(...numbers);
  if (guests === undefined)
    return `Shopping: ${food}, about ${PIECES_EACH} pieces for each guest, bread and drinks`;
  const least = /more|over|at least|\+/iu.test(people) ? 'at least ' : '';
  return `Shopping: ${food}, ${least}${guests * PIECES_EACH} pieces together, bread and drinks for ${people}`;
}

function planFor([people = '', food = '', start = '']: readonly string[]): string {
  return [
    `Here is a plan for a barbecue ${start}, with ${people} people:`,
    `1. ${shopping(people, food)}.`,
    '2. Two hours before: marinate what goes on the grill, cool the drinks.',
    '3. 45 minutes before: light the coals, away from anything that burns.',
    `4. The barbecue starts ${start}: grill ${food}, what takes longest first.`,
    '5. Afterwards: water on the ashes.',
  ].join('\n');
}

/** Plans a barbecue from what the person answers to a few questions. */
export const barbecueRule: Rule = (said) => {
  if (!/\b(?:bbq|barbe[cq]ue|cook-?out|grill(?:ing)? party)s?\b/iu.test(said)) return undefined;
  return (turn) => {
    const asked = askAll(turn, QUESTIONS, 'A few questions first.');
    switch (asked.type) {
      case 'asking':
        return asked.reply;
      case 'answered':
        return { text: planFor(asked.answers) };
      case 'refused':
        return {
          text: `A question has no answer (${asked.why}), so I make no plan. Ask again when you like.`,
        };
      case 'cannot-ask':
        return {
          text: `I cannot ask you, because the tool \`ask_user\` is not offered in this session, so I guess.\n${planFor(GUESSES)}`,
        };
    }
  };
};
