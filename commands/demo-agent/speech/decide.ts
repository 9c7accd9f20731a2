import { balanceRule } from './balance.js';
import { barbecueRule } from './barbecue.js';
import { commandRule } from './command.js';
import { editRule, listRule, readRule, searchRule, writeRule } from './files.js';
import { help } from './help.js';
import type { Rule } from './rule.js';
import { plainRequest } from './rule.js';
import { stepsRule } from './steps.js';
import { transferRule } from './transfer.js';
import type { DemoReply, DemoTurn } from './turn.js';
import { weatherRule } from './weather.js';
import { fetchRule, finishRule } from './web.js';

/**
 * Commands to the letter come first, so that `run echo transfer 5 to X` moves no money; then what is recognised by a
 * word anywhere in the text.
 */
const RULES: readonly Rule[] = [
  commandRule,
  fetchRule,
  finishRule,
  writeRule,
  editRule,
  stepsRule,
  transferRule,
  balanceRule,
  barbecueRule,
  weatherRule,
  listRule,
  readRule,
  searchRule,
];

/** More than anybody asks a demo for; what is pasted is not searched for orders. */
const MAX_CHARACTERS = 2000;

/** What the demo model says next: the first rule that understands the user's text. */
export function decide(turn: DemoTurn): DemoReply {
  if (turn.said.length > MAX_CHARACTERS) {
    return {
      text: `That is too long for me: I read up to ${MAX_CHARACTERS} characters, and act on nothing longer.`,
    };
  }
  const request = plainRequest(turn.said);
  for (const rule of RULES) {
    const plan = rule(request);
    if (plan !== undefined) return plan(turn);
  }
  return help(turn);
}
