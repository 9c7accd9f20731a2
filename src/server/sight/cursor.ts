import type {
  SessionQuery,
  SessionStore,
  SessionSummary,
  WaitingItem,
  WaitingQuery,
} from '../../core/index.js';
import { HitlError, interruptId, isName, isSessionId, ROOT_PATH } from '../../core/index.js';

/** One page of a list, with the cursor for the next page. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** The page of a list to return: a cursor and a limit. */
export interface Part {
  readonly after?: string;
  readonly limit: number;
}

/** Returns whether an item is visible to the visitor. If absent, all items are visible. */
type Seen<Item> = ((item: Item) => Promise<boolean>) | undefined;

/** The page of open questions to return. */
export type WaitingPart = Part &
  Omit<WaitingQuery, keyof Part> & {
    /** Maximum number of items to examine for a page. The next page continues after them. Default: 5,000. */
    readonly mostLooked?: number | undefined;
  };

/**
 * Returns the open questions in all sessions, oldest first. @throws HitlError BAD_INPUT for an invalid cursor
 */
export function listWaiting(
  store: SessionStore,
  { after, limit, mostLooked, ...query }: WaitingPart,
  isSeen?: Seen<WaitingItem>,
): Promise<Listed<WaitingItem>> {
  const start = after === undefined ? undefined : waitingAfter(after);
  return partOf(
    (last, most) => {
      const place = last ?? start;
      return store.waiting({ ...query, ...(place && { after: place }), limit: most });
    },
    { limit, isSeen, mostLooked },
    ({ session, interrupt: { raisedAt, id } }) => [raisedAt, session, id],
  );
}

/** Returns the sessions, newest first. @throws HitlError BAD_INPUT for an invalid cursor */
export function listSessions(
  store: SessionStore,
  { after, limit, ...query }: Part & Omit<SessionQuery, 'before' | 'limit'>,
  isSeen?: Seen<SessionSummary>,
): Promise<Listed<SessionSummary>> {
  const start = after === undefined ? undefined : sessionBefore(after);
  return partOf(
    (last, most) => {
      const place = last ?? start;
      return store.list({ ...query, ...(place && { before: place }), limit: most });
    },
    { limit, isSeen },
    ({ updatedAt, id }) => [updatedAt, id],
  );
}

/**
 * Number of items to fetch at once if some may be hidden from the visitor, and the maximum number of items to
 * examine for one page.
 */
const LOOKED_AT = 500;
const MOST_LOOKED_AT = 5_000;

/** Returns one page. Fetches one item more than the limit to detect whether another page follows. */
async function partOf<Item>(
  fetch: (last: Item | undefined, most: number) => AsyncIterable<Item>,
  {
    limit,
    isSeen,
    mostLooked = MOST_LOOKED_AT,
  }: { readonly limit: number; readonly isSeen: Seen<Item>; readonly mostLooked?: number | undefined },
  placeOf: (last: Item) => readonly string[],
): Promise<Listed<Item>> {
  const most = isSeen === undefined ? limit + 1 : Math.max(limit + 1, LOOKED_AT);
  const seen: Item[] = [];
  let looked = 0;
  for (let last: Item | undefined; ;) {
    const found: Item[] = [];
    for await (const item of fetch(last, most)) found.push(item);
    for (const item of found) if (isSeen === undefined || (await isSeen(item))) seen.push(item);
    last = found.at(-1);
    looked += found.length;
    if (found.length < most || seen.length > limit) break;
    if (looked >= mostLooked && last !== undefined) return { items: seen, next: packed(placeOf(last)) };
  }
  const items = seen.slice(0, limit);
  const last = seen.length > limit ? items.at(-1) : undefined;
  return { items, ...(last && { next: packed(placeOf(last)) }) };
}

/**
 * Returns the item after which the page for a cursor starts. Only its position is used.
 * @throws HitlError BAD_INPUT
 */
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

/**
 * Returns the position of the session after which the page for a cursor starts.
 * @throws HitlError BAD_INPUT
 */
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
  return new HitlError('BAD_INPUT', 'invalid `after`', {
    hint: 'pass `next` from the previous page',
  });
}
