import type {
  DeliveryEvent,
  DeliveryTerms,
  Interrupt,
  ResolvedInterrupt,
  RunState,
  SendOutcome,
  WaitingItem,
} from '../core/index.js';

/** A message to one receiver about a question. */
export interface Message {
  /** Message ID, the same for every attempt to send the message. */
  readonly id: string;
  readonly event: DeliveryEvent;
  /** Time of the current attempt, in milliseconds since 1970. */
  readonly at: number;
  readonly item: WaitingItem;
  readonly state: RunState;
  /** URL of the question's page. */
  readonly page?: string;
  /** The resolution. Set once the question is answered. */
  readonly resolved?: ResolvedInterrupt;
  /** The receiver's own ID for the message about this question. */
  readonly reference?: string;
}

/** A receiver of messages. */
export interface Channel extends DeliveryTerms {
  /** Sends a message once. Returns failures instead of throwing. */
  send(message: Message): Promise<SendOutcome>;
}

/**
 * Returns the opening of a message about a question: `Approval needed` for a tool call or a gate, otherwise
 * `Question`.
 */
export function openingOf({ kind }: Interrupt): 'Approval needed' | 'Question' {
  return kind === 'confirmation' || kind === 'gate' ? 'Approval needed' : 'Question';
}
