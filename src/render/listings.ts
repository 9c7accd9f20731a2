import type { InboxMessage, Interrupt, SessionId, SessionSummary, Shown, Vote } from '../core/index.js';
import {
  approversWords,
  actorName,
  columnsOf,
  escapeText,
  isExpired,
  isQuestion,
  joined,
  laidOut,
  messageWords,
  plainLine,
  shown,
  waitOf,
  waitVerb,
} from '../core/index.js';
import { formatTable } from './table.js';
import type { Column, TableOptions } from './table.js';
import type { Style, Theme } from './theme.js';
import { formatAge, formatUntil } from './time.js';

export interface ListingOptions extends TableOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Returns the state of a session as one word: `done`, `waiting(2)`, `interrupted`, `failed`, `running`,
 * `idle`, `unreadable`.
 */
export function stateWord({
  status,
  waiting,
  idle,
}: Pick<SessionSummary, 'status' | 'waiting' | 'idle'>): Shown {
  if (idle === true) return shown`idle`;
  return status === 'waiting' ? shown`waiting(${waiting})` : escapeText(status);
}

/** The open interrupts of waiting sessions, by session ID. */
export type OpenOf = ReadonlyMap<SessionId, readonly Interrupt[]>;

/**
 * Formats the state and its next automatic change: `waiting(1) until 09:00`, `waiting(1), answer left`,
 * `sleeps until 18:16`.
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

/** Describes a wait: `sleeps until 18:16`, `waits for event paid`. */
export function waitWords(interrupt: Interrupt, now: number): Shown {
  const wait = waitOf(interrupt);
  if (wait === undefined) return shown`asks`;
  const verb = escapeText(waitVerb(wait));
  return wait.until === undefined ? verb : shown`${verb} until ${formatUntil(wait.until, now)}`;
}

function stateStyle({ status, idle }: SessionSummary, theme: Theme): Style {
  if (idle === true) return theme.dim;
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

/**
 * Terminals narrower than `WIDE` do not show the turns column. Below `NARROW`, the folder is part of the
 * title instead of a column.
 */
const WIDE = 100;
const NARROW = 60;

/**
 * Returns the title of a session, or a placeholder if it has none, for example after it was rewound to its
 * start.
 */
export function shownTitle(title: string): string {
  return title === '' ? 'no messages yet' : title;
}

/** Creates the table for `hitl list`: ID, state, age, folder and title, plus the turns if there is room. */
export function sessionTable(
  sessions: readonly SessionSummary[],
  options: ListingOptions & { readonly open?: OpenOf },
): Shown {
  const { now, theme, open, columns = WIDE } = options;
  const isNarrow = columns < NARROW;
  const named = ({ folder, title }: SessionSummary): string =>
    isNarrow && folder !== undefined ? [folder, shownTitle(title)].join('  ') : shownTitle(title);
  const turns: Column<SessionSummary> = {
    title: 'TURNS',
    text: (session) => String(session.turns),
    align: 'right',
  };
  return formatTable(
    sessions,
    [
      { title: 'ID', text: (session) => session.id },
      {
        title: 'STATE',
        shown: (session) => stateUntil(session, now, open?.get(session.id) ?? []),
        style: (session) => stateStyle(session, theme),
      },
      ...(columns < WIDE ? [] : [turns]),
      { title: 'AGE', shown: (session) => formatAge(session.updatedAt, now) },
      ...(!isNarrow && sessions.some(({ folder }) => folder !== undefined)
        ? [{ title: 'FOLDER', text: ({ folder = '' }: SessionSummary) => folder, narrows: 'wrap' as const }]
        : []),
      { title: 'TITLE', text: named, narrows: 'wrap', below: true },
    ],
    options,
  );
}

/** An open interrupt of a session. */
export interface InboxItem {
  readonly session: SessionId;
  readonly title: string;
  /** The folder, as displayed. */
  readonly folder?: string;
  readonly interrupt: Interrupt;
  readonly votes?: readonly Vote[];
  /** The question as one line of safe text. */
  readonly asked: Shown;
}

/** Formats the approvers and the deadline: `, for lead, until 09:00`; `, expired`. */
function forWhom({ interrupt, votes }: InboxItem, now: number): Shown {
  const { escalated, expiresAt } = interrupt;
  const people = approversWords(interrupt, votes);
  const whose = people === undefined ? shown`` : shown`, ${escapeText(people)}`;
  const who = escalated === undefined ? whose : shown`${whose}, for ${escapeText(escalated.to)}`;
  if (expiresAt === undefined) return who;
  return isExpired(interrupt, now)
    ? shown`${who}, expired`
    : shown`${who}, until ${formatUntil(expiresAt, now)}`;
}

/**
 * Creates the list for `hitl inbox`. On a terminal, questions are grouped below the titles of their sessions;
 * any other output has one row per question. Digests are left out, because a digest is shown only with the
 * complete question.
 */
export function inboxTable(items: readonly InboxItem[], options: ListingOptions): Shown {
  return options.columns === undefined ? inboxRows(items, options) : inboxGroups(items, options);
}

function inboxRows(items: readonly InboxItem[], options: ListingOptions): Shown {
  return formatTable(
    items,
    [
      { title: 'ID', text: (item) => item.interrupt.id },
      { title: 'SESSION', text: (item) => item.session },
      { title: 'AGE', shown: (item) => formatAge(item.interrupt.raisedAt, options.now) },
      { title: 'KIND', text: ({ interrupt }) => waitOf(interrupt)?.type ?? interrupt.kind },
      { title: 'FOLDER', text: ({ folder = '' }) => folder },
      ...(items.some((item) => titleOf([item]) !== '')
        ? [{ title: 'TITLE', text: (item: InboxItem) => titleOf([item]) }]
        : []),
      { title: 'QUESTION', shown: (item) => shown`${item.asked}${forWhom(item, options.now)}` },
    ],
    options,
  );
}

/** Returns the session title to show above its questions; empty if a question already contains it. */
function titleOf(group: readonly InboxItem[]): string {
  const [first] = group;
  if (first === undefined) return '';
  const title = bareWords(first.title);
  const isRepeated = group.some(({ asked }) => ` ${bareWords(asked)} `.includes(` ${title} `));
  return isRepeated ? '' : first.title;
}

function bareWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}

/** Formats the questions grouped by session. Sessions are in the order of their oldest questions. */
function inboxGroups(items: readonly InboxItem[], options: ListingOptions): Shown {
  const groups = new Map<SessionId, InboxItem[]>();
  for (const item of items) groups.set(item.session, [...(groups.get(item.session) ?? []), item]);
  return joined(
    [...groups.values()].map((group) => shown`${groupHead(group, options)}${groupRows(group, options)}`),
    '',
  );
}

/**
 * Formats a session's heading: `Fix the total in the cart ~/shop 01kb2m3n4p5q6r7s`. Lines are broken only
 * between its parts.
 */
function groupHead(group: readonly InboxItem[], { theme, columns = 80 }: ListingOptions): Shown {
  const [first] = group;
  if (first === undefined) return shown``;
  const { folder, session } = first;
  const place = [...(folder === undefined ? [] : [escapeText(folder)]), escapeText(session)];
  const rest = place.join('  ');
  const name = first.title === '' ? shownTitle('') : titleOf(group);
  const room = columns - columnsOf(rest) - 3;
  if (name !== '' && columnsOf(escapeText(name)) <= room)
    return laidOut(`${theme.strong(escapeText(name))}  ${theme.dim(rest)}\n`);
  const below = columnsOf(rest) < columns ? [rest] : place;
  const above = name === '' ? [] : [theme.strong(plainLine(name, columns - 1))];
  return laidOut([...above, ...below.map((row) => theme.dim(row))].join('\n') + '\n');
}

function groupRows(group: readonly InboxItem[], options: ListingOptions): Shown {
  return formatTable(
    group,
    [
      { title: '', text: ({ interrupt }) => `  ${interrupt.id}` },
      {
        title: '',
        shown: (item) => formatAge(item.interrupt.raisedAt, options.now),
        style: () => options.theme.dim,
      },
      {
        title: '',
        shown: (item) => shown`${item.asked}${forWhom(item, options.now)}`,
        narrows: 'wrap',
      },
    ],
    { ...options, titles: false },
  );
}

/** Creates the table for `hitl queue`: queued messages in delivery order. */
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
