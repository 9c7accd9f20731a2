import type { Rule } from './rule.js';
import { endOf, facts, notDone } from './say.js';
import type { DemoCall, DemoTurn } from './turn.js';

const ROUNDS = 3;

/** A harmless call for a round, of a tool that is offered. */
function callFor(turn: DemoTurn, round: number): DemoCall | undefined {
  const known: readonly DemoCall[] = [
    { name: 'get_balance', input: {} },
    { name: 'list_files', input: {} },
  ];
  const offered = known.filter(({ name }) => turn.offers(name));
  return offered[round % Math.max(1, offered.length)];
}

/** Goes through several rounds of tool calls, as a model does that thinks step by step. */
export const stepsRule: Rule = (said) => {
  if (!/\bstep[\s-]by[\s-]step\b/iu.test(said)) return undefined;
  return (turn) => {
    const done = turn.rounds.flat();
    const stopped = done.find((call) => endOf(call) !== 'done');
    if (stopped !== undefined)
      return { text: notDone(stopped, `step ${done.indexOf(stopped) + 1} (\`${stopped.name}\`)`) };
    if (done.length >= ROUNDS) {
      const lines = done.map(({ name, output }, index) => `${index + 1}. \`${name}\`: ${facts(output)}`);
      return {
        text: ['I have no thoughts of my own, but these steps really happened:', ...lines].join('\n'),
      };
    }
    const call = callFor(turn, done.length);
    if (call === undefined)
      return { text: 'I have no tool here to take a step with: no such tool is offered in this session.' };
    return { text: `Step ${done.length + 1} of ${ROUNDS}.`, calls: [call] };
  };
};
