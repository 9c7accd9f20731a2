import { confirmOne } from '../../src/human/index.js';
import type { Io } from './io.js';
import { askHere } from './terminal-here.js';

export interface Confirmation {
  readonly message: string;
  /** What `y` does, in the product's own words. */
  readonly yes: string;
  readonly no: string;
}

/** Asks the person at the terminal, outside a conversation; everything but a deliberate `y` is no. */
export async function confirmHere(io: Io, color: boolean, question: Confirmation): Promise<boolean> {
  return askHere(io, color, (context, signal) => confirmOne(context, question, signal));
}
