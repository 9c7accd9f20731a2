import type { InboxMessage, Interrupt, SessionId, SessionSummary, Shown, Vote } from '../core/index.js';
import { approversWords, actorName, escapeText, messageWords, shown } from '../core/index.js';
import { formatTable } from './table.js';
import type { TableOptions } from './table.js';
import type { Style, Theme } from './theme.js';
import { formatAge, formatUntil } from './time.js';

export interface ListingOptions extends TableOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The state of a session in one word: `done`, `waiting(2)`, `interrupted`, `failed`, `running`, `unreadable`. */
export function stateWord({ status, waiting }: Pick<SessionSummary, 'status' | 'waiting'>): Shown {
  return status === 'waiting' ? shown`waiting(${waiting})` : escapeText(status);
}

/** `waiting(1) until 09:00`: the state, and when something happens by itself. */
function stateUntil(session: SessionSummary, now: number): Shown {
  const { until } = session;
  return until === undefined
    ? stateWord(session)
    : shown`${stateWord(session)} until ${formatUntil(until, now)}`;
}

function stateStyle({ status }: SessionSummary, theme: Theme): Style {
  switch (status) {
    case 'waiting':
      return theme.warning;
    case 'failed':
    case 'unreadable':
      return theme.failure;
    case 'running':
      return theme.success;
    case 'done':
    case 'interrupted':
      return theme.dim;
  }
}

/** Makes the table of `hitl list`: id, state, turns, age and title. */
export function sessionTable(sessions: readonly SessionSummary[], options: ListingOptions): Shown {
  const { now, theme } = options;
  return formatTable(
    sessions,
    [
      { title: 'ID', text: (session) => session.id },
      {
        title: 'STATE',
        shown: (session) => stateUntil(session, now),
        style: (session) => stateStyle(session, theme),
      },
      { title: 'TURNS', text: (session) => String(session.turns), align: 'right' },
      { title: 'AGE', shown: (session) => formatAge(session.updatedAt, now) },
      { title: 'TITLE', text: (session) => session.title, narrows: 'wrap' },
    ],
    options,
  );
}

/** An open interrupt of a session. */
export interface InboxItem {
  readonly session: SessionId;
  readonly interrupt: Interrupt;
  readonly votes?: readonly Vote[];
  /** The question, as one line of safe text. */
  readonly asked: Shown;
}

/** `, for lead, until 09:00` */
function forWhom({ interrupt, votes }: InboxItem, now: number): Shown {
  const { escalated, expiresAt } = interrupt;
  const people = approversWords(interrupt, votes);
  const whose = people === undefined ? shown`` : shown`, ${escapeText(people)}`;
  const who = escalated === undefined ? whose : shown`${whose}, for ${escapeText(escalated.to)}`;
  return expiresAt === undefined ? who : shown`${who}, until ${formatUntil(expiresAt, now)}`;
}

/**
 * Makes the table of `hitl inbox`: id of the interrupt, session, age, kind, and what is asked in the words of its
 * question. No digest: a row is short, and a digest stands only below a whole question.
 */
export function inboxTable(items: readonly InboxItem[], options: ListingOptions): Shown {
  return formatTable(
    items,
    [
      { title: 'ID', text: (item) => item.interrupt.id },
      { title: 'SESSION', text: (item) => item.session },
      { title: 'AGE', shown: (item) => formatAge(item.interrupt.raisedAt, options.now) },
      { title: 'KIND', text: (item) => item.interrupt.kind },
      { title: 'ASKED', shown: (item) => shown`${item.asked}${forWhom(item, options.now)}`, narrows: 'wrap' },
    ],
    options,
  );
}

/** Makes the table of `hitl queue`: what waits for a session, in the order of delivery. */
export function messageTable(messages: readonly InboxMessage[], options: ListingOptions): Shown {
  return formatTable(
    messages,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'PRIORITY', text: ({ priority }) => priority },
      { title: 'AGE', shown: ({ at }) => formatAge(at, options.now) },
      { title: 'FROM', text: ({ from }) => actorName(from) },
      { title: 'FOR', text: ({ target = '' }) => target },
      {
        title: 'ACTION',
        text: ({ action, event }) => action?.action ?? (event === undefined ? '' : 'event'),
      },
      {
        title: 'TEXT',
        text: (message) => (message.event === undefined ? message.text : messageWords(message)),
        narrows: 'wrap',
      },
    ],
    options,
  );
}
