import type { Rule } from './rule.js';
import { oneCall } from './rule.js';
import { memberOf, notDone, valueText } from './say.js';
import type { DoneCall } from './turn.js';

const TOOL = 'get_balance';

/** True where a text asks how much money there is. */
export function isAboutBalance(said: string): boolean {
  return /\bbalance\b|\bhow much (?:money|cash)\b|\bhow much (?:is left|(?:do i|have i) (?:have|got))\b/iu.test(
    said,
  );
}

/** What a look at the account told. */
export function balanceText(call: DoneCall): string {
  if (call.isError) return notDone(call, 'the look at the balance');
  return `Your balance is ${valueText(memberOf(call.output, 'balance', 'amount') ?? call.output)}.`;
}

/** Tells the balance. */
export const balanceRule: Rule = (said) =>
  isAboutBalance(said)
    ? oneCall({
        tool: TOOL,
        input: {},
        before: 'I look at the account.',
        what: 'the look at the balance',
        report: balanceText,
      })
    : undefined;
