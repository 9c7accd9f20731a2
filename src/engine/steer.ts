import type { InboxMessage, Interrupt, InterruptDraft, SessionEvent, TakenItems } from '../core/index.js';
import { actorName, textPart } from '../core/index.js';
import type { ActiveRun, Steps } from './active-run.js';
import type { Steering } from './run-options.js';

/**
 * Receives input before the next request to the model: first the run's own prompt, then external messages
 * . If the result is `something`, the next step must be decided again.
 */
export async function* hear(run: ActiveRun): Steps<'nothing' | 'something' | 'cancel'> {
  const prompt = run.takePrompt();
  if (prompt !== undefined) {
    yield* run.tell([userWords(prompt)]);
    return 'something';
  }
  const { steering } = run.options;
  return steering === undefined ? 'nothing' : yield* takeSent(run, steering);
}

async function* takeSent(
  run: ActiveRun,
  { inbox, path, wants, notice }: Steering,
): Steps<'nothing' | 'something' | 'cancel'> {
  const { stop } = run;
  const options = wants === undefined ? {} : { wants };
  const taken = await inbox.take({ phase: 'turn', path }, stop.signal, options).catch((thrown: unknown) => {
    if (stop.aborted) return undefined;
    throw thrown;
  });
  if (taken === undefined) return 'something'; // the stop is seen before anything else is done
  try {
    for (const text of taken.notices) notice?.(text);
    if (taken.events.length === 0) return 'nothing';
    const interrupts = run.interrupts();
    const { events, isCancelled } = turnEffects(taken, (draft) => interrupts.make(draft));
    yield* run.tell([...taken.events, ...events]);
    return isCancelled ? 'cancel' : 'something';
  } finally {
    taken.release();
  }
}

/** Effects of external messages that arrived between two turns of an agent. */
export interface TurnEffects {
  readonly events: readonly SessionEvent[];
  /** Whether the run must end. */
  readonly isCancelled: boolean;
}

/**
 * Converts messages to events before the next model request: text becomes a user message, and `pause` becomes
 * a question.
 */
function turnEffects(
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
      const why = `\`${action?.action ?? ''}\` is not possible between an agent's turns`;
      events.push({ type: 'inbox-settled', id, outcome: { type: 'refused', why } });
    }
  }
  return { events, isCancelled: false };
}

/** Creates the question for a requested pause. */
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

/** Creates the event for a user message. */
export function userWords(text: string): SessionEvent {
  return { type: 'message-added', message: { role: 'user', content: [textPart(text)] } };
}
