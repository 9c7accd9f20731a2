// The words of a session: found in its journal and its mail, and forgotten where the prompt keeps them.
import { existsSync } from 'node:fs';

import type {
  SessionEvent,
  SessionId,
  SessionQuery,
  SessionStore,
  SessionSummary,
} from '../../src/core/index.js';
import { isHitlError } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import { historyFile } from '../host/index.js';
import { forgetLines } from '../../src/human/seated.js';

/** The result of a text search. */
export interface FoundWords {
  readonly sessions: readonly SessionSummary[];
  /** Sessions that could not be read completely and were therefore not fully searched. */
  readonly unread: readonly SessionId[];
}

/**
 * Finds sessions whose ids, titles, events or queued messages contain a string. Reads one session at a time,
 * and only up to the match.
 */
export async function sessionsWithWords(
  store: SessionStore,
  { limit = Infinity, ...query }: SessionQuery,
  words: string,
): Promise<FoundWords> {
  const wanted = folded(words);
  const sessions: SessionSummary[] = [];
  const unread: SessionId[] = [];
  for await (const session of store.list(query)) {
    if (sessions.length >= limit) break;
    const found = await hasWords(store, session, wanted);
    if (found === true) sessions.push(session);
    else if (found === 'unread') unread.push(session.id);
  }
  return { sessions, unread };
}

async function hasWords(
  store: SessionStore,
  { id, title, status }: SessionSummary,
  wanted: string,
): Promise<boolean | 'unread'> {
  if (folded(`${id} ${title}`).includes(wanted)) return true;
  try {
    await using session = await store.open(id, 'read');
    for await (const { event } of session.events()) if (holds(event, wanted)) return true;
    for (let page = 1; ; page += 1) {
      const { items, total } = await store.mail(id).list({ page, pageSize: MAIL_PAGE });
      if (items.some((item) => holds(item, wanted))) return true;
      if (page * MAIL_PAGE >= total) break;
    }
    return status === 'unreadable' ? 'unread' : false;
  } catch (error) {
    if (isHitlError(error)) return error.code === 'SESSION_NOT_FOUND' ? false : 'unread';
    throw error;
  }
}

const MAIL_PAGE = 1000;

/** Whether a string or property name in a value contains the wanted text. */
function holds(value: unknown, wanted: string): boolean {
  if (typeof value === 'string') return folded(value).includes(wanted);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => folded(key).includes(wanted) || holds(inner, wanted));
}

/** Normalizes case, character width and Unicode composition. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Removes a session's typed lines from the prompt history. Keeps a short line unless it is a complete
 * message, because short commands are typed in many sessions.
 * @returns false if the session is unreadable, so that some lines may remain
 */
export async function forgetTyped(io: Io, store: SessionStore, id: SessionId): Promise<boolean> {
  const file = historyFile(io);
  if (!existsSync(file)) return true;
  const typed: string[] = [];
  let isRead = true;
  try {
    await using session = await store.open(id, 'read');
    for await (const { event } of session.events()) typed.push(...textsOf(typedIn(event)));
  } catch (error) {
    if (!isHitlError(error)) throw error;
    isRead = false;
  }
  await forgetLines(file, (line) => {
    const text = line.replace(/^\/\S+\s+/u, '').trim();
    return typed.some((one) => one === text || (text.length >= SHORT && one.includes(text)));
  });
  return isRead;
}

/** Shorter lines are removed only if they are a complete message. */
const SHORT = 12;

/** Returns the part of an event that a person may have typed. */
function typedIn(event: SessionEvent): unknown {
  if (event.type === 'message-added')
    return event.message.role === 'user' ? event.message.content : undefined;
  if (event.type === 'interrupt-resolved') return event.resolution;
  if (event.type === 'session-created') return event.title;
  return event.type === 'inbox-delivered' ? event.item : undefined;
}

/** Yields every string in a value. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* textsOf(inner);
}
