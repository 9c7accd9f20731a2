import type { TransferOrder } from './parse-transfers.js';
import { endOf, memberOf, missingTool, notDone, valueText } from './say.js';
import type { DemoReply, DemoTurn, DoneCall } from './turn.js';

const TOOL = 'transfer_money';

type WholeOrder = Required<TransferOrder>;

function isWhole(order: TransferOrder): order is WholeOrder {
  return order.toAccount !== undefined && order.amount !== undefined;
}

function nameOf({ amount, toAccount }: WholeOrder): string {
  return `${amount} to ${toAccount}`;
}

function list(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

function edited(call: DoneCall, order: WholeOrder | undefined): string {
  const amount = memberOf(call.input, 'amount');
  const toAccount = memberOf(call.input, 'toAccount');
  if (order === undefined || (amount === order.amount && toAccount === order.toAccount)) return '';
  return ` You had asked for ${nameOf(order)}; it was changed before it ran.`;
}

/** What happened to one transfer, in the words of its result. */
function outcome(call: DoneCall, order: WholeOrder | undefined): string {
  const asked = `${valueText(memberOf(call.input, 'amount') ?? '?')} to ${valueText(memberOf(call.input, 'toAccount') ?? '?')}`;
  if (call.isError) return notDone(call, `the transfer of ${asked}`);
  const status = memberOf(call.output, 'status');
  const message = memberOf(call.output, 'message');
  if (typeof status === 'string' && /fail|reject|declin|insufficient|cancel|denied|abort/iu.test(status)) {
    return `The bank did not transfer ${asked}: ${valueText(message ?? status)}.`;
  }
  const amount = memberOf(call.output, 'amount', 'transferred', 'moved');
  const toAccount = memberOf(call.output, 'toAccount', 'account') ?? memberOf(call.input, 'toAccount');
  if (amount === undefined)
    return `The answer to the transfer of ${asked} is: ${valueText(message ?? call.output)}.${edited(call, order)}`;
  const balance = memberOf(call.output, 'newBalance', 'balance');
  const left = balance === undefined ? '' : ` The balance is now ${valueText(balance)}.`;
  return `Transferred ${valueText(amount)} to ${valueText(toAccount ?? '?')}.${left}${edited(call, order)}`;
}

/** Transfers money, several orders at once as parallel calls, and reports what the bank really did. */
export function transfer(turn: DemoTurn, orders: readonly TransferOrder[]): DemoReply {
  const whole = orders.filter(isWhole);
  const done = turn.rounds.flat().filter(({ name }) => name === TOOL);
  if (done.length > 0) {
    const said = done.map((call, index) => outcome(call, whole[index]));
    const failed = done.filter((call) => endOf(call) !== 'done').length;
    const sum =
      done.length > 1 && failed > 0 ? `\n${done.length - failed} of ${done.length} transfers were made.` : '';
    return { text: said.join('\n') + sum };
  }
  if (whole.length === 0) {
    return { text: 'How much should I transfer, and to which account? For example: Transfer 200 to ABC123' };
  }
  if (!turn.offers(TOOL)) return { text: missingTool(TOOL) };
  const calls = whole.map(({ toAccount, amount }) => ({ name: TOOL, input: { toAccount, amount } }));
  return { text: `I will transfer ${list(whole.map(nameOf))}.`, calls };
}
