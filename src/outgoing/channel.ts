import type {
  DeliveryEvent,
  DeliveryTerms,
  Interrupt,
  ResolvedInterrupt,
  RunState,
  SendOutcome,
  WaitingItem,
} from '../core/index.js';

/** A message about a question, for one receiver. */
export interface Message {
  /** The same each time that it is sent. */
  readonly id: string;
  readonly event: DeliveryEvent;
  /** Milliseconds since 1970: when it is sent now. */
  readonly at: number;
  readonly item: WaitingItem;
  readonly state: RunState;
  /** The address of the page of the question. */
  readonly page?: string;
  /** Present where it was answered. */
  readonly resolved?: ResolvedInterrupt;
  /** The receiver's own name of the message that asked. */
  readonly reference?: string;
}

/** A receiver of messages. */
export interface Channel extends DeliveryTerms {
  /** Sends a message once. What went wrong is said, and nothing is thrown. */
  send(message: Message): Promise<SendOutcome>;
}

/** Returns the first words of a message that asks: of a call or a gate, that somebody has to approve it. */
export function openingOf({ kind }: Interrupt): 'Approval needed' | 'Question' {
  return kind === 'confirmation' || kind === 'gate' ? 'Approval needed' : 'Question';
}
