import { basename } from 'node:path';
import { count, HitlError, present, shown } from '../src/core/index.js';
import { listKnown } from '../sessions/listing/list-known.js';
import type { Interrupt, SessionId, SessionQuery, SessionStatus, SessionSummary } from '../src/core/index.js';
import type { OpenOf, Theme } from '../src/render/index.js';
import { plainTheme, sessionTable } from '../src/render/index.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import type { LimitFlags } from './screen/list-limit.js';
import { columnsOf, isColoured, isDumb } from './screen/terminal-facts.js';
import { limitOf, moreLine, oneMore } from './screen/list-limit.js';
import { folderWords, printJson, tell } from './host/index.js';
import { storeAddress } from './store/address.js';
import { storeOptions } from './store/store-options.js';
import { sessionsWithWords } from './store/session-words.js';
import { openStore } from './store/store.js';
import { doubtLines } from './report/doubt-lines.js';
import { unservedLines } from './report/unserved-lines.js';
import { stdoutTheme } from './screen/theme.js';

export interface ListFlags extends SessionFlags, LimitFlags {
  readonly state?: SessionStatus;
  readonly search?: string;
  /** Text to search for in sessions, regardless of who wrote it. */
  readonly text?: string;
}

/** The listed sessions. */
interface Listed {
  readonly sessions: readonly SessionSummary[];
  /** Whether the list omits some sessions. */
  readonly hasMore: boolean;
  /** Number of omitted sessions; absent if not counted. */
  readonly left?: number;
}

/** `hitl list`: lists sessions, newest first. */
export async function list(io: Io, flags: ListFlags): Promise<number> {
  const { state, search, text } = flags;
  const query = present({ status: state, search });
  const listed =
    text === undefined ? await sessionsOf(io, flags, query) : await withWords(io, flags, query, text);
  const { sessions, hasMore, left } = listed;
  const tellLeft = (): void => {
    if (hasMore && flags.quiet !== true) tell(io.stderr, moreLine(left, flags));
  };
  if (flags.json === true) {
    printJson(io, sessions);
    tellLeft();
    return 0;
  }
  if (sessions.length === 0) {
    if (flags.quiet !== true)
      tell(
        io.stderr,
        search === undefined && state === undefined && text === undefined
          ? shown`No sessions yet. Start one: hitl chat`
          : shown`No matching sessions.`,
      );
    return 0;
  }
  const theme = listTheme(io, flags.color);
  const open = await openOf(io, flags, sessions);
  const placed = sessions.map((session) => ({ ...session, ...placeOf(io, session) }));
  io.stdout.write(sessionTable(placed, { theme, open, now: io.clock.now(), ...columnsOf(io.stdout) }));
  tellLeft();
  if (flags.quiet !== true && sessions.some(({ status }) => status === 'interrupted'))
    await tellDoubts(io, flags, sessions);
  return 0;
}

/** Minimum terminal width for full paths, in columns. Narrower terminals show only the name of the folder. */
const ROOM_FOR_PATHS = 100;

/** Returns a session's folder as shown in a list. If the output is not a terminal, returns the full path. */
function placeOf(io: Io, { folder }: Pick<SessionSummary, 'folder'>): { readonly folder?: string } {
  if (folder === undefined) return {};
  const { columns } = columnsOf(io.stdout);
  if (columns === undefined) return { folder };
  const words = folderWords(folder, io.home);
  return { folder: columns < ROOM_FOR_PATHS ? basename(words) || words : words };
}

/**
 * Returns the open interrupts of waiting sessions. They show whether a session is waiting for an answer, a
 * timer or an event.
 */
async function openOf(io: Io, flags: ListFlags, sessions: readonly SessionSummary[]): Promise<OpenOf> {
  const open = new Map<SessionId, Interrupt[]>();
  for (const { id, status } of sessions) if (status === 'waiting') open.set(id, []);
  if (open.size === 0) return open;
  for await (const { session, interrupt } of openStore(io, flags).waiting({
    sessions: [...open.keys()],
  }))
    open.get(session)?.push(interrupt);
  return open;
}

/** Reports calls in doubt. Loads the session reader only if a session stopped in doubt. */
async function tellDoubts(io: Io, flags: ListFlags, sessions: readonly SessionSummary[]): Promise<void> {
  const store = openStore(io, flags);
  for (const line of await doubtLines(store, sessions)) tell(io.stderr, line);
  for (const line of await unservedLines(store)) tell(io.stderr, line);
}

/** Lists sessions. The session reader is loaded only if a session has changed. */
async function sessionsOf(io: Io, flags: ListFlags, query: SessionQuery): Promise<Listed> {
  const limit = limitOf(flags);
  const isHere = storeAddress(io, flags) === undefined;
  const known = isHere ? listKnown(storeOptions(io, flags), query) : undefined;
  if (known !== undefined) return upTo(limit, [...known]);
  const found: SessionSummary[] = [];
  const store = openStore(io, flags);
  for await (const session of store.list({ ...query, ...oneMore(limit) })) found.push(session);
  const { sessions, hasMore } = upTo(limit, found);
  const count = hasMore ? await store.listCount?.(query) : undefined;
  return { sessions, hasMore, ...(count !== undefined && { left: count - sessions.length }) };
}

function upTo(limit: number, found: readonly SessionSummary[]): Required<Listed> {
  const sessions = found.slice(0, limit);
  const left = found.length - sessions.length;
  return { sessions, hasMore: left > 0, left };
}

/**
 * Finds sessions that contain a text. Reports sessions that could not be searched because they are
 * unreadable.
 */
async function withWords(io: Io, flags: ListFlags, query: SessionQuery, text: string): Promise<Listed> {
  if (text.trim() === '')
    throw new HitlError('USAGE', '`--text` requires words', { hint: 'hitl list --text "Ann Lee"' });
  const limit = limitOf(flags);
  const wanted = { ...query, ...oneMore(limit) };
  const { sessions: found, unread } = await sessionsWithWords(openStore(io, flags), wanted, text);
  const [first] = unread;
  if (first !== undefined)
    tell(io.stderr, shown`warning: not searched: ${count(unread.length, 'unreadable session')} (${first})`);
  const { sessions, hasMore } = upTo(limit, found);
  return { sessions, hasMore };
}

/** Returns the theme. The code for colors is loaded only if colors are shown. */
function listTheme(io: Io, color: boolean): Theme {
  if (!isColoured(io, io.stdout, color)) return plainTheme({ ascii: isDumb(io) });
  return stdoutTheme(io, color);
}
