import { escapeText, isQuestion, shown } from '../src/core/index.js';
import type { SessionId, SessionStore, WaitingItem } from '../src/core/index.js';
import { beforeRestoreWords, exampleFor, oneLineOf, showCommand } from '../src/human/index.js';
import type { InboxItem } from '../src/render/index.js';
import { inboxTable } from '../src/render/index.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { folderWords, printJson, tell } from './host/index.js';
import { doubtLines, MOST_READ } from './report/doubt-lines.js';
import { toReviewLines } from './report/session-review.js';
import { unservedLines } from './report/unserved-lines.js';
import type { LimitFlags } from './screen/list-limit.js';
import { limitOf, moreLine, oneMore } from './screen/list-limit.js';
import { stdoutTable } from './screen/theme.js';
import { openStore } from './store/store.js';

/** `all` includes timers and external events. */
interface InboxFlags extends SessionFlags, LimitFlags {}

/**
 * `hitl inbox`: lists the open questions of all sessions, oldest first; `--all` adds timers and external
 * events.
 */
export async function inbox(io: Io, flags: InboxFlags): Promise<number> {
  const store = openStore(io, flags);
  const { items, left } = await oldest(store, flags);
  const asked = items.filter(({ interrupt }) => isQuestion(interrupt));
  const waits = items.filter(({ interrupt }) => !isQuestion(interrupt));
  const waiting = [...asked, ...waits];
  const tellLeft = (): void => {
    if (left > 0 && flags.quiet !== true) tell(io.stderr, moreLine(left, flags));
  };
  if (flags.json === true) {
    printJson(
      io,
      waiting.map(({ session, interrupt, votes }) => ({ session, ...interrupt, ...(votes && { votes }) })),
    );
    tellLeft();
    return 0;
  }
  if (waiting.length === 0 && flags.quiet !== true) tell(io.stderr, shown`No open questions.`);
  const look = stdoutTable(io, flags.color);
  const restoredAt = waiting.length === 0 ? undefined : (await store.capabilities.origin?.look())?.restoredAt;
  const rowOf = (one: WaitingItem): InboxItem => {
    // An example is for copying, which one that is broken into a column is not; a refusal shows it whole.
    const example = look.columns === undefined ? exampleFor(one.interrupt) : undefined;
    const before = beforeRestoreWords(one.interrupt, restoredAt);
    const words = oneLineOf(one.interrupt);
    const line = before === undefined ? words : shown`${words}, ${before}`;
    return {
      ...one,
      ...(one.folder !== undefined && {
        folder: look.columns === undefined ? one.folder : folderWords(one.folder, io.home),
      }),
      asked: example === undefined ? line : shown`${line} · answer: ${escapeText(example)}`,
    };
  };
  const options = { ...look, now: io.clock.now() };
  if (asked.length > 0 || waits.length === 0) io.stdout.write(inboxTable(asked.map(rowOf), options));
  if (asked.length > 0 && waits.length > 0) io.stdout.write(shown`\n`);
  if (waits.length > 0) io.stdout.write(inboxTable(waits.map(rowOf), options));
  if (flags.quiet === true) return 0;
  tellLeft();
  const [first] = asked;
  if (first !== undefined) {
    const isAtTerminal = look.columns !== undefined && (await isFree(store, first.session));
    const how = isAtTerminal ? shown`answer with hitl resume ${first.session}` : showCommand(first.session);
    tell(io.stderr, shown`hint: ${how}`);
  }
  const stopped = store.list({ status: 'interrupted', limit: MOST_READ });
  for (const line of await doubtLines(store, stopped, { all: true })) tell(io.stderr, line);
  for (const line of await unservedLines(store)) tell(io.stderr, line);
  for (const line of await toReviewLines(io, store)) tell(io.stderr, line);
  return 0;
}

/** Whether a waiting session can be resumed. Also false if the session is not among the most recent ones. */
async function isFree(store: SessionStore, id: SessionId): Promise<boolean> {
  for await (const session of store.list({ status: 'waiting', limit: MOST_LOOKED_AT }))
    if (session.id === id) return true;
  return false;
}

/** Number of recent sessions to search for a waiting one. */
const MOST_LOOKED_AT = 50;

/** Returns the oldest items, and the number of other items that are waiting. */
async function oldest(
  store: SessionStore,
  flags: LimitFlags,
): Promise<{ readonly items: readonly WaitingItem[]; readonly left: number }> {
  const limit = limitOf(flags);
  const part = oneMore(limit);
  const found: WaitingItem[] = [];
  for (let after: WaitingItem | undefined, isLast = false; found.length <= limit && !isLast;) {
    const page: WaitingItem[] = [];
    for await (const item of store.waiting({ ...part, ...(after && { after }) })) page.push(item);
    found.push(...page.filter(({ interrupt }) => flags.all === true || isQuestion(interrupt)));
    after = page.at(-1);
    isLast = page.length <= limit;
  }
  const items = found.slice(0, limit);
  return { items, left: found.length > limit ? (await store.waitingCount()) - items.length : 0 };
}
