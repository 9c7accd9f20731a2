import type { InboxMessage, Interrupt, SessionId, SessionSummary, Shown, Vote } from '../core/index.js';
import {
  approversWords,
  actorName,
  escapeText,
  isQuestion,
  joined,
  messageWords,
  shown,
  waitOf,
  waitVerb,
} from '../core/index.js';
import { formatTable } from './table.js';
import type { TableOptions } from './table.js';
import type { Style, Theme } from './theme.js';
import { formatAge, formatUntil } from './time.js';

export interface ListingOptions extends TableOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Returns a session's state as a word: `done`, `waiting(2)`, `interrupted`, `failed`, `running`,
 * `unreadable`.
 */
export function stateWord({ status, waiting }: Pick<SessionSummary, 'status' | 'waiting'>): Shown {
  return status === 'waiting' ? shown`waiting(${waiting})` : escapeText(status);
}

/** The open interrupts of sessions that wait, by the id of the session. */
export type OpenOf = ReadonlyMap<SessionId, readonly Interrupt[]>;

/**
 * `waiting(1) until 09:00`, `waiting(1), answer left`, `sleeps until 18:16`: the state, and its next
 * automatic change.
 */
function stateUntil(session: SessionSummary, now: number, open: readonly Interrupt[]): Shown {
  const asked = open.filter(isQuestion).length;
  if (open.length > 0 && asked === 0)
    return joined(
      open.map((one) => waitWords(one, now)),
      ', ',
    );
  const { until, unread } = session;
  const asking = open.length === 0 ? stateWord(session) : stateWord({ ...session, waiting: asked });
  const state = unread === true ? shown`${asking}, answer left` : asking;
  return until === undefined ? state : shown`${state} until ${formatUntil(until, now)}`;
}

/** `sleeps until 18:16`, `waits for event paid` */
export function waitWords(interrupt: Interrupt, now: number): Shown {
  const wait = waitOf(interrupt);
  if (wait === undefined) return shown`asks`;
  const verb = escapeText(waitVerb(wait));
  return wait.until === undefined ? verb : shown`${verb} until ${formatUntil(wait.until, now)}`;
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
export function sessionTable(
  sessions: readonly SessionSummary[],
  options: ListingOptions & { readonly open?: OpenOf },
): Shown {
  const { now, theme, open } = options;
  return formatTable(
    sessions,
    [
      { title: 'ID', text: (session) => session.id },
      {
        title: 'STATE',
        shown: (session) => stateUntil(session, now, open?.get(session.id) ?? []),
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
 * Formats the table of `hitl inbox`: interrupt id, session, age, kind and question. Without digests, which
 * appear only below a complete question.
 */
export function inboxTable(items: readonly InboxItem[], options: ListingOptions): Shown {
  return formatTable(
    items,
    [
      { title: 'ID', text: (item) => item.interrupt.id },
      { title: 'SESSION', text: (item) => item.session },
      { title: 'AGE', shown: (item) => formatAge(item.interrupt.raisedAt, options.now) },
      { title: 'KIND', text: ({ interrupt }) => waitOf(interrupt)?.type ?? interrupt.kind },
      {
        title: 'QUESTION',
        shown: (item) => shown`${item.asked}${forWhom(item, options.now)}`,
        narrows: 'wrap',
      },
    ],
    options,
  );
}

/** Formats the table of `hitl queue`: queued messages in delivery order. */
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
