import type { PassedCall, SessionId, SessionStore, SessionSummary } from '../src/core/index.js';
import {
  alwaysOffers,
  SESSION_SIZES,
  toReview,
  count,
  HitlError,
  isFolded,
  isHitlError,
  passedGroups,
  passedSummary,
  passedWords,
  escapeText,
  present,
  shown,
  joined,
} from '../src/core/index.js';
import type { ListPlace } from '../src/human/seated.js';
import { chooseOne, lookThrough, writeLine } from '../src/human/seated.js';
import type { Io } from './host/index.js';
import { printJson, tell } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import type { ReviewMark } from './report/review-marks.js';
import { keepMarks, readMarks } from './report/review-marks.js';
import type { SessionReview } from './report/session-review.js';
import {
  isSeen,
  listedGroups,
  reviewOf,
  reviewRows,
  reviewText,
  titleText,
} from './report/session-review.js';
import { rulePlace } from './config/project-place.js';
import { modeOf } from './flags/mode.js';
import { addRule } from './rules-change.js';
import { send } from './send.js';
import { limitOf } from './screen/list-limit.js';
import { askHere } from './screen/terminal-here.js';
import { stdoutTable } from './screen/theme.js';
import { atMost, namedSession } from './store/which-session.js';
import { openStore } from './store/store.js';

export interface ReviewFlags extends SessionFlags {
  readonly last?: boolean;
  /** Whether to include calls that the user has already seen. */
  readonly all?: boolean;
  /** Milliseconds before now. */
  readonly since?: number;
  readonly markSeen?: boolean;
  /** Maximum number of sessions. */
  readonly limit?: number;
}

/**
 * Maximum number of sessions to open. Sessions that have not changed since the user saw them are not opened.
 */
const MOST_OPENED = 200;
/** Maximum number of sessions to check for changes. */
const MOST_LISTED = 5_000;

/**
 * `hitl review`: shows calls that ran without the user's own approval, with the reason. Calls that the user
 * has already seen are left out.
 * @throws HitlError USAGE for flags that cannot be used together.
 */
export async function review(io: Io, named: string | undefined, flags: ReviewFlags): Promise<number> {
  if (flags.since !== undefined && flags.markSeen === true)
    throw new HitlError('USAGE', '`--since` and `--mark-seen` cannot be used together', {
      hint: 'older calls would be marked without being shown',
    });
  const store = openStore(io, flags);
  const { marks, problem } = await readMarks(io);
  if (problem !== undefined) tell(io.stderr, problem);
  const id = await sessionOf(store, named, flags);
  const { reviews, hasMore } =
    id === undefined
      ? await ofAll(io, store, marks, flags)
      : { reviews: [await reviewOf(store, id, wantedBy(io, marks.get(id), flags))], hasMore: false };
  if (id !== undefined)
    for (const { notices } of reviews) for (const one of notices) tell(io.stderr, escapeText(one));
  const found = reviews.filter(({ calls }) => calls.length > 0);
  if (flags.json === true) printJson(io, found.flatMap(asJson));
  else if (isLookedThrough(io, flags) && found.some(isListed))
    await lookAt(io, found, { flags, isOne: id !== undefined });
  else print(io, found, { flags, isOne: id !== undefined });
  if (flags.markSeen === true) await mark(io, reviews, flags);
  if (flags.quiet === true) return 0;
  if (hasMore) tell(io.stderr, shown`… and more sessions: --limit ${2 * limitOf({ ...flags, all: false })}`);
  return 0;
}

/** Whether to list a session. A session is not listed if none of its calls require review. */
function isListed({ calls }: SessionReview): boolean {
  return toReview(calls) > 0;
}

/** Reports how many calls are not listed. Prints nothing if all calls are listed. */
function tellFolded(io: Io, calls: readonly PassedCall[], { quiet }: ReviewFlags): void {
  const folded = calls.filter(isFolded);
  if (folded.length === 0 || quiet === true) return;
  tell(io.stderr, shown`not listed: ${escapeText(passedSummary(passedGroups(folded)))} (--json lists all)`);
}

/** Returns the specified session; `undefined` for all sessions. */
async function sessionOf(
  store: SessionStore,
  named: string | undefined,
  flags: ReviewFlags,
): Promise<SessionId | undefined> {
  if (named === undefined && flags.last !== true) return undefined;
  const { id, rest } = await namedSession(store, 'review', [named], flags);
  atMost(rest, 0);
  return id;
}

function wantedBy(
  io: Io,
  mark: ReviewMark | undefined,
  { all, since }: ReviewFlags,
): Parameters<typeof reviewOf>[2] {
  const from = since === undefined ? undefined : io.clock.now() - since;
  return { mark, all: all === true, since: from };
}

/** Reads the newest sessions that contain calls to review. */
async function ofAll(
  io: Io,
  store: SessionStore,
  marks: ReadonlyMap<string, ReviewMark>,
  flags: ReviewFlags,
): Promise<{ readonly reviews: readonly SessionReview[]; readonly hasMore: boolean }> {
  const most = limitOf({ ...flags, all: false });
  const reviews: SessionReview[] = [];
  const unread: SessionId[] = [];
  let opened = 0;
  let hasMore = false;
  for await (const summary of store.list({ limit: MOST_LISTED })) {
    const mark = marks.get(summary.id);
    if (flags.all !== true && isSeen(summary, mark)) continue;
    const wanted = wantedBy(io, mark, flags);
    if (wanted.since !== undefined && Date.parse(summary.updatedAt) < wanted.since) break;
    if (reviews.length >= most || opened >= MOST_OPENED) {
      hasMore = true;
      break;
    }
    opened += 1;
    const found = await readable(store, summary, wanted);
    if (found === undefined) unread.push(summary.id);
    // A session without new calls is marked too, so that it is not opened each time.
    else if (found.calls.length > 0 || flags.markSeen === true) reviews.push(found);
  }
  const [first] = unread;
  if (first !== undefined)
    tell(io.stderr, shown`warning: not reviewed: ${count(unread.length, 'unreadable session')} (${first})`);
  return { reviews, hasMore };
}

async function readable(
  store: SessionStore,
  { id, status }: SessionSummary,
  wanted: Parameters<typeof reviewOf>[2],
): Promise<SessionReview | undefined> {
  if (status === 'unreadable') return undefined;
  try {
    return await reviewOf(store, id, wanted);
  } catch (thrown) {
    if (isHitlError(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Whether to open the interactive list. The user must be at a terminal that hitl can draw on, and no flag may
 * request other output.
 */
function isLookedThrough(io: Io, flags: ReviewFlags): boolean {
  if (flags.markSeen === true || flags.verbose === true || flags.quiet === true) return false;
  return io.stdout.isTTY && modeOf(io, flags).keys !== undefined;
}

/** Lets the user browse the groups of calls, mark them as seen, and create rules for them. */
async function lookAt(
  io: Io,
  reviews: readonly SessionReview[],
  { flags, isOne }: { readonly flags: ReviewFlags; readonly isOne: boolean },
): Promise<void> {
  const look = { ...stdoutTable(io, flags.color), now: io.clock.now() };
  const shownHere = isOne ? reviews : reviews.filter(isListed);
  const listed = shownHere.map((one) => listedGroups(one, look));
  const groups = shownHere.flatMap(({ session, calls }) =>
    passedGroups(calls).map((group) => ({ session, calls: group.calls })),
  );
  let place: ListPlace | undefined;
  for (;;) {
    const answer = await askHere(io, flags.color, (context, signal) =>
      lookThrough(context, listed.flat(), signal, place),
    );
    if (answer === undefined) return;
    if (answer.type === 'seen') {
      await mark(io, reviews, flags);
      return;
    }
    ({ place } = answer);
    const group = groups[answer.group];
    const call = group?.calls[answer.row];
    if (group === undefined || call === undefined) continue;
    if (answer.type === 'rule') await makeRule(io, call, flags);
    else await tellModel(io, group.session, call, flags);
  }
}

/** Lets the user write a message about a call, and sends it to the session's model as `hitl send` does. */
async function tellModel(io: Io, session: SessionId, call: PassedCall, flags: ReviewFlags): Promise<void> {
  const question = { prompt: 'tell the model: ', hint: 'Enter sends this with the call’s title · Esc back' };
  const text = await askHere(io, flags.color, (context, signal) => writeLine(context, question, signal));
  if (text === undefined) return;
  try {
    await send(io, session, [`About “${titleText(call)}”: ${text}`], flags);
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    tell(io.stderr, shown`not sent: ${escapeText(thrown.message)}`); // the list stays
  }
}

/** Lets the user choose and add a rule that denies calls like this one or asks about them. */
async function makeRule(io: Io, call: PassedCall, flags: ReviewFlags): Promise<void> {
  const { tool: name, input, plan } = call;
  const offers = alwaysOffers(
    SESSION_SIZES,
    { name, input, ...(plan !== undefined && { payload: plan }) },
    rulePlace(io),
  );
  const texts = offers.flatMap(({ rule }) => (rule === undefined ? [] : [rule.text.slice(ALLOW.length)]));
  const rules = [...new Set([...texts, name])].flatMap((text) =>
    (['ask', 'deny'] as const).map((effect) => ({ effect, text })),
  );
  const question = {
    message: 'Which rule?',
    rows: rules.map(({ effect, text }) => `${effect} ${text}`),
  };
  const at = await askHere(io, flags.color, (context, signal) => chooseOne(context, question, signal));
  const rule = at === undefined ? undefined : rules[at];
  if (rule !== undefined) await addRule(io, rule.effect, [rule.text], { ...flags, builtinTools: true });
}

/** Prefix of the rules that a question offers. */
const ALLOW = 'allow ';

function print(
  io: Io,
  reviews: readonly SessionReview[],
  { flags, isOne }: { readonly flags: ReviewFlags; readonly isOne: boolean },
): void {
  const options = { ...stdoutTable(io, flags.color), now: io.clock.now() };
  if (reviews.length === 0) {
    if (flags.quiet !== true) tell(io.stderr, shown`Nothing to review.`);
    return;
  }
  if (options.columns === undefined && flags.verbose !== true) {
    io.stdout.write(reviewRows(reviews, options));
    tellFolded(
      io,
      reviews.flatMap(({ calls }) => calls),
      flags,
    );
    return;
  }
  const depth = flags.verbose === true ? 'plans' : isOne ? 'calls' : 'groups';
  const listed = depth === 'groups' ? reviews.filter(isListed) : reviews;
  io.stdout.write(joined(listed.map((one) => reviewText(one, options, depth))));
  const left = reviews.filter((one) => !listed.includes(one));
  tellFolded(
    io,
    left.flatMap(({ calls }) => calls),
    flags,
  );
  if (listed.length === 0) return;
  if (flags.quiet !== true && flags.markSeen !== true)
    tell(
      io.stderr,
      isOne
        ? shown`hint: --verbose shows each call, --mark-seen marks them as seen`
        : shown`hint: hitl review <id> lists the calls, --mark-seen marks them as seen`,
    );
}

/** Formats the calls in a session as JSON objects. */
function asJson({ session, calls, seen }: SessionReview): readonly object[] {
  return calls.map((call: PassedCall) => ({
    session,
    ...call,
    because: passedWords(call),
    isFolded: isFolded(call),
    ...present({ isSeen: call.seq <= seen ? true : undefined }),
  }));
}

async function mark(io: Io, reviews: readonly SessionReview[], { quiet }: ReviewFlags): Promise<void> {
  const seen = reviews.flatMap(({ session, mark: last }) =>
    last === undefined ? [] : [[session, last] as const],
  );
  await keepMarks(io, new Map(seen));
  const calls = reviews.reduce((sum, one) => sum + one.calls.length, 0);
  const sessions = reviews.filter((one) => one.calls.length > 0).length;
  if (quiet !== true && calls > 0)
    tell(io.stderr, shown`Marked ${count(calls, 'call')} in ${count(sessions, 'session')} as seen.`);
}
