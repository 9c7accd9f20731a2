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
  /** The same for each attempt to send it. */
  readonly id: string;
  readonly event: DeliveryEvent;
  /** Milliseconds since 1970: when it is sent now. */
  readonly at: number;
  readonly item: WaitingItem;
  readonly state: RunState;
  /** The address of the page of the question. */
  readonly page?: string;
  /** Set if it was answered. */
  readonly resolved?: ResolvedInterrupt;
  /** The receiver's reference of the question's message. */
  readonly reference?: string;
}

/** A receiver of messages. */
export interface Channel extends DeliveryTerms {
  /** Sends a message once. Returns failures instead of throwing. */
  send(message: Message): Promise<SendOutcome>;
}

/** Returns the start of a message that asks: for a call or gate, that approval is needed. */
export function openingOf({ kind }: Interrupt): 'Approval needed' | 'Question' {
  return kind === 'confirmation' || kind === 'gate' ? 'Approval needed' : 'Question';
}
