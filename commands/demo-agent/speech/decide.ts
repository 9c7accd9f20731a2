import { barbecueRule } from './barbecue.js';
import { help } from './help.js';
import { balanceRule, transferRule } from './money.js';
import { stepsRule } from './steps.js';
import { taskRule } from './tasks.js';
import type { DemoReply, DemoTurn } from './turn.js';
import { weatherRule } from './weather.js';

/**
 * Sentences to the letter come first, so that `run echo transfer 5 to X` moves no money; then what is recognised by a
 * word anywhere in the text.
 */
const RULES = [taskRule, stepsRule, transferRule, balanceRule, barbecueRule, weatherRule];

/** More than anybody asks a demo for; what is pasted is not searched for orders. */
const MAX_CHARACTERS = 2000;

const POLITE = /^(?:(?:please|hey|hi|hello|ok(?:ay)?|(?:can|could|would) you)\b[\s,!.]*)+(?=\S)/iu;

/** Decides what the demo model says next: the first rule that understands the user's text makes the reply. */
export function decide(turn: DemoTurn): DemoReply {
  if (turn.said.length > MAX_CHARACTERS) {
    return {
      text: `That is too long for me: I read up to ${MAX_CHARACTERS} characters, and act on nothing longer.`,
    };
  }
  const request = turn.said.replace(POLITE, '');
  for (const rule of RULES) {
    const plan = rule(request);
    if (plan !== undefined) return plan(turn);
  }
  return help(turn);
}
