import { askAll } from './ask.js';
import { balanceText, isAboutBalance } from './balance.js';
import type { TransferOrder } from './parse-transfers.js';
import { parseAmount, parseTransfers } from './parse-transfers.js';
import type { Plan, Rule } from './rule.js';
import { callsOf } from './rule.js';
import { endOf, inWords, memberOf, missingTool, notDone, valueText } from './say.js';
import type { DemoReply, DemoTurn, DoneCall } from './turn.js';

const TOOL = 'transfer_money';
const EXAMPLE = 'For example: Transfer 200 to ABC123';

type WholeOrder = Required<TransferOrder>;

function isWhole(order: TransferOrder): order is WholeOrder {
  return order.toAccount !== undefined && order.amount !== undefined;
}

function nameOf({ amount, toAccount }: WholeOrder): string {
  return `${amount} to ${toAccount}`;
}

/** The order as a person changed it before it ran. */
function edited(call: DoneCall, order: WholeOrder | undefined): string {
  const amount = memberOf(call.input, 'amount');
  const toAccount = memberOf(call.input, 'toAccount');
  if (order === undefined || (amount === order.amount && toAccount === order.toAccount)) return '';
  return ` You had asked for ${nameOf(order)}; it was changed before it ran.`;
}

/** What happened to one transfer, in the words of its result and not of what was asked. */
function outcome(call: DoneCall, order: WholeOrder | undefined): string {
  const { input, output } = call;
  const asked = `${valueText(memberOf(input, 'amount') ?? '?')} to ${valueText(memberOf(input, 'toAccount') ?? '?')}`;
  if (call.isError) return notDone(call, `the transfer of ${asked}`);
  const status = memberOf(output, 'status');
  const message = memberOf(output, 'message');
  if (typeof status === 'string' && /fail|reject|declin|insufficient|cancel|denied|abort/iu.test(status)) {
    return `The bank did not transfer ${asked}: ${valueText(message ?? status)}.`;
  }
  const amount = memberOf(output, 'transferred', 'amount', 'moved');
  if (amount === undefined) {
    return `The answer to the transfer of ${asked} is: ${valueText(message ?? output)}.${edited(call, order)}`;
  }
  const toAccount = memberOf(output, 'toAccount', 'account') ?? memberOf(input, 'toAccount') ?? '?';
  const balance = memberOf(output, 'balance', 'newBalance');
  const left = balance === undefined ? '' : ` The balance is now ${valueText(balance)}.`;
  return `Transferred ${valueText(amount)} to ${valueText(toAccount)}.${left}${edited(call, order)}`;
}

function report(done: readonly DoneCall[], orders: readonly WholeOrder[]): string {
  const lines = done.map((call, index) => outcome(call, orders[index]));
  const made = done.filter((call) => endOf(call) === 'done').length;
  if (done.length > 1 && made < done.length) lines.push(`${made} of ${done.length} transfers were made.`);
  return lines.join('\n');
}

/** Looks at the balance after the transfers, not beside them: what it says is then true. */
function withBalance(turn: DemoTurn, text: string): DemoReply {
  const balance = callsOf(turn, 'get_balance').at(-1);
  if (balance !== undefined) return { text: `${text}\n${balanceText(balance)}` };
  if (!turn.offers('get_balance')) return { text: `${text}\n${missingTool('get_balance')}` };
  return { text: 'Now the balance.', calls: [{ name: 'get_balance', input: {} }] };
}

function makeTransfers(turn: DemoTurn, orders: readonly WholeOrder[], wantsBalance: boolean): DemoReply {
  const done = callsOf(turn, TOOL);
  if (done.length > 0) {
    const text = report(done, orders);
    return wantsBalance ? withBalance(turn, text) : { text };
  }
  if (!turn.offers(TOOL)) return { text: missingTool(TOOL) };
  const calls = orders.map(({ toAccount, amount }) => ({ name: TOOL, input: { toAccount, amount } }));
  return { text: `I will transfer ${inWords(orders.map(nameOf))}.`, calls };
}

/** Asks for what an order lacks. */
function completeOrder({ toAccount, amount }: TransferOrder, wantsBalance: boolean): Plan {
  return (turn) => {
    const questions = [
      ...(amount === undefined ? [{ question: 'How much should I transfer?' }] : []),
      ...(toAccount === undefined ? [{ question: 'To which account?' }] : []),
    ];
    const asked = askAll(turn, questions, 'I need to know a little more.');
    switch (asked.type) {
      case 'asking':
        return asked.reply;
      case 'refused':
        return { text: `I have no answer (${asked.why}), so I transfer nothing.` };
      case 'cannot-ask':
        return { text: `How much should I transfer, and to which account? ${EXAMPLE}` };
      case 'answered':
        break;
    }
    const answers = [...asked.answers];
    const amountText = amount === undefined ? (answers.shift() ?? '') : '';
    const order = {
      amount: amount ?? parseAmount(amountText),
      toAccount: toAccount ?? (answers[0] ?? '').trim(),
    };
    if (order.amount === undefined || order.toAccount === '') {
      return { text: `I cannot read that as an amount and an account, so I transfer nothing. ${EXAMPLE}` };
    }
    return makeTransfers(turn, [{ amount: order.amount, toAccount: order.toAccount }], wantsBalance);
  };
}

/** Transfers money; several orders at once are parallel calls. */
export const transferRule: Rule = (said) => {
  const talk = parseTransfers(said);
  if (talk === undefined) return undefined;
  if (talk.type === 'no-order') {
    const text = 'I transfer nothing: I act only on a plain order, and I cannot take a transfer back.';
    return () => ({ text: `${text} ${EXAMPLE}` });
  }
  const whole = talk.orders.filter(isWhole);
  const wantsBalance = isAboutBalance(said);
  const [first] = talk.orders;
  if (whole.length === 0 && first !== undefined) return completeOrder(first, wantsBalance);
  return (turn) => makeTransfers(turn, whole, wantsBalance);
};
