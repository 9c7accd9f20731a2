import { parseTransfers } from './parse-transfers.js';
import { transfer } from './transfer.js';
import type { DemoReply, DemoTurn } from './turn.js';

/** What the demo model says next: the first rule that understands the user's text. */
export function decide(turn: DemoTurn): DemoReply {
  const orders = parseTransfers(turn.said);
  if (orders.length > 0) return transfer(turn, orders);
  return { text: 'I do not understand that. Try: Transfer 200 to ABC123' };
}
