import type { SessionEvent, InboxEvent } from './event.js';
import type { RunState, InboxState, SeqRange } from './state.js';
import { isGone, placeIn } from './state.js';
import { addUsage } from '../data/finish-reason.js';

const NOTHING: InboxState = { gone: [], delivered: 0, expired: 0, refused: 0, unsettled: [], lastAt: '' };
const MOST_UNSETTLED = 100;

type Placed = Extract<SessionEvent, { readonly type: InboxEvent['type'] }>;

const TYPES: Readonly<Record<InboxEvent['type'], true>> = {
  'inbox-delivered': true,
  'inbox-dropped': true,
  'inbox-settled': true,
  'action-chosen': true,
};

/** Whether an event is about external messages. */
export function isInboxEvent(event: SessionEvent): event is Placed {
  return Object.hasOwn(TYPES, event.type);
}

/** Returns the state after an event. Each numbered message is delivered or dropped only once (G18). */
export function evolveInbox(state: RunState, event: Placed, illegal: (why: string) => never): RunState {
  const inbox = state.inbox ?? NOTHING;
  switch (event.type) {
    case 'inbox-delivered': {
      const { item, deliveredAt } = event;
      if (isGone(inbox, item.seq)) return illegal(`message ${item.seq} is gone`);
      const unsettled = [...inbox.unsettled, item].slice(-MOST_UNSETTLED);
      const delivered = inbox.delivered + (item.type === 'message' ? 1 : 0);
      const gone = withSeq(inbox.gone, item.seq);
      return { ...state, inbox: { ...inbox, gone, delivered, unsettled, lastAt: deliveredAt } };
    }
    case 'inbox-dropped': {
      const { seq, why, droppedAt } = event;
      if (isGone(inbox, seq)) return illegal(`message ${seq} is gone`);
      const expired = inbox.expired + (why === 'expired' ? 1 : 0);
      return { ...state, inbox: { ...inbox, gone: withSeq(inbox.gone, seq), expired, lastAt: droppedAt } };
    }
    case 'inbox-settled': {
      const unsettled = inbox.unsettled.filter(({ id }) => id !== event.id);
      const refused = inbox.refused + (event.outcome.type === 'refused' ? 1 : 0);
      return { ...state, inbox: { ...inbox, unsettled, refused } };
    }
    case 'action-chosen':
      return event.usage === undefined ? state : { ...state, usage: addUsage(state.usage, event.usage) };
  }
}

function withSeq(ranges: readonly SeqRange[], seq: number): readonly SeqRange[] {
  const first = placeIn(ranges, seq - 1);
  const touching = ranges.slice(first, first + 2).filter(([from]) => from <= seq + 1);
  const from = Math.min(seq, touching[0]?.[0] ?? seq);
  const to = Math.max(seq, touching.at(-1)?.[1] ?? seq);
  return ranges.toSpliced(first, touching.length, [from, to]);
}
