import type { Rule } from './rule.js';
import { callsOf, oneCall } from './rule.js';
import type { Deed } from './say.js';
import { inWords, memberOf, missingTool, notDone, valueText } from './say.js';
import type { DemoReply, DemoTurn, DoneCall } from './turn.js';

const TRANSFER = 'transfer_money';
const BALANCE = 'get_balance';

// A misread amount moves the wrong sum: an order is understood whole or not at all.
const VERB = String.raw`(?:transfer|send|pay|wire|move)`;
const CURRENCY = String.raw`(?:dollars?|euros?|pounds?|usd|eur|gbp)`;
const ORDER = String.raw`[$\u20AC\u00A3]?-?\d[\d,]*(?:\.\d{1,2})?(?:\s+${CURRENCY})?\s+to\s+(?:"[^"]+"|[\p{L}\p{N}][\p{L}\p{N}_-]*)`;
const ORDERS = new RegExp(
  String.raw`^${VERB}\s+(?<orders>${ORDER}(?:(?:\s*,\s*|\s+and\s+)${ORDER})*)(?<balance>\s+and\s+tell\s+me\s+(?:my|the)\s+balance)?(?:\s+please)?[.!]?$`,
  'iu',
);
const PARTS =
  /(?<amount>-?\d[\d,]*(?:\.\d+)?)(?:\s+\p{L}+)?\s+to\s+(?:"(?<quoted>[^"]+)"|(?<account>[\p{L}\p{N}_-]+))/giu;
const ABOUT_MONEY = new RegExp(String.raw`\b(?:transfer|wire|pay)\b|\b${VERB}\b.*(?:\d|\bmoney\b)`, 'isu');

interface Order {
  readonly toAccount: string;
  readonly amount: number;
}

function ordersIn(text: string): readonly Order[] {
  return [...text.matchAll(PARTS)].map(({ groups }) => ({
    toAccount: groups?.['quoted'] ?? groups?.['account'] ?? '',
    amount: Number(groups?.['amount']?.replaceAll(',', '')),
  }));
}

function nameOf({ amount, toAccount }: Order): string {
  return `${amount} to ${toAccount}`;
}

/** Describes the result of a transfer, including any difference from what the user asked for. */
function outcome(call: DoneCall, order: Order | undefined): string {
  const { input, output } = call;
  const [amount = '?', account = '?'] = [memberOf(input, 'amount'), memberOf(input, 'toAccount')];
  const asked = `${valueText(amount)} to ${valueText(account)}`;
  if (call.isError) return notDone(call, { act: `transfer ${asked}`, what: `the transfer of ${asked}` });
  const isEdited = order !== undefined && asked !== nameOf(order);
  const edited = isEdited ? ` It was edited: you asked for ${nameOf(order)}.` : '';
  const moved = memberOf(output, 'transferred');
  if (moved === undefined) return `The result of the transfer of ${asked} is: ${valueText(output)}.${edited}`;
  const balance = memberOf(output, 'balance');
  const left = balance === undefined ? '' : ` The balance is now ${valueText(balance)}.`;
  return `Transferred ${valueText(moved)} to ${valueText(memberOf(output, 'toAccount') ?? account)}.${left}${edited}`;
}

function report(done: readonly DoneCall[], orders: readonly Order[]): string {
  const lines = done.map((call, index) => outcome(call, orders[index]));
  const made = done.filter(({ isError }) => !isError).length;
  if (done.length > 1 && made < done.length) lines.push(`${made} of ${done.length} transfers were made.`);
  return lines.join('\n');
}

/**
 * Reads the balance after the transfers, not in parallel with them, so that the reported value is correct.
 */
function withBalance(turn: DemoTurn, text: string): DemoReply {
  const balance = callsOf(turn, BALANCE).at(-1);
  if (balance !== undefined) return { text: `${text}\n${balanceText(balance)}` };
  if (!turn.offers(BALANCE)) return { text: `${text}\n${missingTool(BALANCE)}` };
  return { text: 'Now the balance.', calls: [{ name: BALANCE, input: {} }] };
}

/** Makes the transfers that the user asks for. Several transfers become parallel calls. */
export const transferRule: Rule = (said) => {
  if (!ABOUT_MONEY.test(said)) return undefined;
  const groups = ORDERS.exec(said)?.groups;
  if (groups === undefined) {
    const text = 'I did not transfer anything: I only follow simple orders, and I cannot undo a transfer.';
    return () => ({ text: `${text} For example: Transfer 200 to ABC123` });
  }
  const orders = ordersIn(groups['orders'] ?? '');
  return (turn) => {
    const done = callsOf(turn, TRANSFER);
    if (done.length > 0) {
      const text = report(done, orders);
      return groups['balance'] === undefined ? { text } : withBalance(turn, text);
    }
    if (!turn.offers(TRANSFER)) return { text: missingTool(TRANSFER) };
    const calls = orders.map(({ toAccount, amount }) => ({ name: TRANSFER, input: { toAccount, amount } }));
    return { text: `I will transfer ${inWords(orders.map(nameOf))}.`, calls };
  };
};

const BALANCE_LOOKUP: Deed = { act: 'look up the balance', what: 'the balance lookup' };

function balanceText(call: DoneCall): string {
  if (call.isError) return notDone(call, BALANCE_LOOKUP);
  return `Your balance is ${valueText(memberOf(call.output, 'balance') ?? call.output)}.`;
}

/** Answers with the balance. */
export const balanceRule: Rule = (said) =>
  /\bbalance\b|\bhow much money\b/iu.test(said)
    ? oneCall({
        tool: BALANCE,
        input: {},
        before: 'Let me look at the account.',
        deed: BALANCE_LOOKUP,
        report: balanceText,
      })
    : undefined;
