import type { Rule } from './rule.js';
import type { Deed } from './say.js';
import { facts, notDone } from './say.js';
import type { DoneCall } from './turn.js';

const ROUNDS = 3;
const HARMLESS = ['get_balance', 'list_files'];

/** Runs several rounds of tool calls, like a model that works step by step. */
export const stepsRule: Rule = (said) => {
  if (!/\bstep by step\b/iu.test(said)) return undefined;
  return (turn) => {
    const done = turn.rounds.flat();
    const stopped = done.find(({ isError }) => isError);
    if (stopped !== undefined) return { text: notDone(stopped, deedOf(stopped, done.indexOf(stopped) + 1)) };
    if (done.length >= ROUNDS) {
      const lines = done.map(({ name, output }, index) => `${index + 1}. \`${name}\`: ${facts(output)}`);
      return {
        text: ['I can’t really think, but I ran these steps:', ...lines].join('\n'),
      };
    }
    const offered = HARMLESS.filter((name) => turn.offers(name));
    const name = offered[done.length % Math.max(1, offered.length)];
    if (name === undefined) return { text: 'No tools for these steps are available in this session.' };
    return { text: `Step ${done.length + 1} of ${ROUNDS}.`, calls: [{ name, input: {} }] };
  };
};

function deedOf({ name }: DoneCall, step: number): Deed {
  const what = `step ${step} (\`${name}\`)`;
  return { act: `do ${what}`, what };
}
