import type {
  SessionQuery,
  SessionStore,
  SessionSummary,
  WaitingItem,
  WaitingQuery,
} from '../../core/index.js';
import { HitlError, interruptId, isName, isSessionId, ROOT_PATH } from '../../core/index.js';

/** A part of a list: its items, and the place behind which the next part begins. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** A part of a list that is asked for: so many items, behind a place. */
interface Part {
  readonly after?: string;
  readonly limit: number;
}

/** The open questions of all sessions, the oldest first. @throws HitlError BAD_INPUT for a place that is none */
export function listWaiting(
  store: SessionStore,
  { after, limit, ...query }: Part & Omit<WaitingQuery, keyof Part>,
): Promise<Listed<WaitingItem>> {
  const place = after === undefined ? {} : { after: waitingAfter(after) };
  const found = store.waiting({ ...query, ...place, limit: limit + 1 });
  return partOf(found, limit, ({ session, interrupt: { raisedAt, id } }) => [raisedAt, session, id]);
}

/** The sessions, the newest first. @throws HitlError BAD_INPUT for a place that is none */
export function listSessions(
  store: SessionStore,
  { after, limit, ...query }: Part & Omit<SessionQuery, 'before' | 'limit'>,
): Promise<Listed<SessionSummary>> {
  const place = after === undefined ? {} : { before: sessionBefore(after) };
  const found = store.list({ ...query, ...place, limit: limit + 1 });
  return partOf(found, limit, ({ updatedAt, id }) => [updatedAt, id]);
}

/** One item more than is wanted was asked for: where it is there, so is another part. */
async function partOf<Item>(
  found: AsyncIterable<Item>,
  limit: number,
  placeOf: (last: Item) => readonly string[],
): Promise<Listed<Item>> {
  const all: Item[] = [];
  for await (const item of found) all.push(item);
  const items = all.slice(0, limit);
  const last = all.length > limit ? items.at(-1) : undefined;
  return { items, ...(last && { next: packed(placeOf(last)) }) };
}

/** The item behind which a page begins: nothing but its place is looked at. @throws HitlError BAD_INPUT */
function waitingAfter(cursor: string): WaitingItem {
  const [raisedAt = '', session = '', id = ''] = unpacked(cursor);
  if (!isSessionId(session) || !isName(id) || Number.isNaN(Date.parse(raisedAt))) throw noCursor();
  const place = { id: interruptId(id), raisedAt, digest: '', path: ROOT_PATH, payload: true } as const;
  return {
    session,
    title: '',
    interrupt: { ...place, kind: 'pause', source: { type: 'run' }, allowed: [] },
  };
}

/** The session behind which a page begins. @throws HitlError BAD_INPUT */
function sessionBefore(cursor: string): NonNullable<SessionQuery['before']> {
  const [updatedAt = '', id = ''] = unpacked(cursor);
  if (!isSessionId(id) || Number.isNaN(Date.parse(updatedAt))) throw noCursor();
  return { updatedAt, id };
}

function packed(parts: readonly string[]): string {
  return Buffer.from(parts.join('\n')).toString('base64url');
}

function unpacked(cursor: string): readonly string[] {
  return Buffer.from(cursor, 'base64url').toString().split('\n');
}

function noCursor(): HitlError {
  return new HitlError('BAD_INPUT', '`after` is no place in this list', {
    hint: 'it is `next` of the page before',
  });
}
