import type { InterruptId, SessionId } from '../ids.js';
import { digestOf } from '../json/digest.js';
import type { DeliveryEvent } from '../ports/index.js';

/** A question as messages are about it: another digest is another question. */
export interface ToldQuestion {
  readonly session: SessionId;
  readonly interrupt: InterruptId;
  readonly digest: string;
}

/** Letters of a name that are kept: 120 bits. */
const NAME_LENGTH = 30;

/** The name of a message: the same whenever and by whomever it is sent, to all receivers. */
export function messageName({ session, interrupt, digest }: ToldQuestion, event: DeliveryEvent): string {
  return `msg_${digestOf([session, interrupt, digest, event]).slice(0, NAME_LENGTH)}`;
}

/** The name of the note about a question at one receiver. */
export function noteKey({ session, interrupt, digest }: ToldQuestion, channel: string): string {
  return digestOf([session, interrupt, digest, channel]);
}
