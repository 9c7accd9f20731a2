import type {
  InboxMessage,
  Interrupt,
  InterruptDraft,
  NodePath,
  RunInbox,
  SessionEvent,
  TakenItems,
} from '../core/index.js';
import { actorName } from '../core/index.js';
import { userWords } from './user-words.js';

/** Words and verbs from outside that a run looks for between its turns. */
export interface Steering {
  readonly inbox: RunInbox;
  /** The place of the run, for messages that name a node. */
  readonly path: NodePath;
  /** False for a message that is not for an agent between its turns, and waits. Default: all are. */
  readonly wants?: (message: InboxMessage) => boolean;
  /** Told in the product's own words. */
  readonly notice?: (text: string) => void;
}

/** The effects of what was sent, between two turns of an agent. */
export interface TurnEffects {
  readonly events: readonly SessionEvent[];
  /** The run is to end here. */
  readonly isCancelled: boolean;
}

/** Words become a message of the user, `pause` a question; the model is asked nothing before that. */
export function turnEffects(
  { control, messages }: Pick<TakenItems, 'control' | 'messages'>,
  make: (draft: InterruptDraft) => Interrupt,
): TurnEffects {
  const events: SessionEvent[] = [];
  const settled = (id: string): SessionEvent => ({
    type: 'inbox-settled',
    id,
    outcome: { type: 'applied' },
  });
  if (control !== undefined) {
    if (control.verb === 'pause')
      events.push({ type: 'interrupt-raised', interrupt: make(pauseDraft(control)) });
    return { events: [...events, settled(control.id)], isCancelled: control.verb === 'cancel' };
  }
  for (const message of messages) {
    const { id, action, text } = message;
    const guidance =
      action === undefined ? text : action.action === 'rerun' ? (action.guidance ?? text) : undefined;
    if (guidance !== undefined) {
      events.push(userWords(guidance), settled(id));
    } else if (action?.action === 'cancel') return { events: [...events, settled(id)], isCancelled: true };
    else if (action?.action === 'pause') {
      const interrupt = make(pauseDraft({ from: message.from, reason: text }));
      return {
        events: [...events, { type: 'interrupt-raised', interrupt }, settled(id)],
        isCancelled: false,
      };
    } else if (action?.action === 'continue') events.push(settled(id));
    else {
      const why = `an agent between its turns cannot \`${action?.action ?? ''}\``;
      events.push({ type: 'inbox-settled', id, outcome: { type: 'refused', why } });
    }
  }
  return { events, isCancelled: false };
}

/** The question of a pause that somebody asked for. */
export function pauseDraft({
  from,
  reason,
}: Pick<InboxMessage, 'from'> & { readonly reason?: string }): InterruptDraft {
  return {
    kind: 'pause',
    source: { type: 'run' },
    payload: { by: actorName(from), ...(reason !== undefined && { reason }) },
  };
}
