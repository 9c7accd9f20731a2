import type {
  Interrupt,
  PassedCall,
  PassedGroup,
  RunState,
  Session,
  SessionId,
  SessionStore,
  SessionSummary,
  Shown,
} from '../../src/core/index.js';
import {
  callWordsOf,
  count,
  emptyState,
  escapeText,
  interruptId,
  isFolded,
  isHitlError,
  joined,
  laidOut,
  makeInterrupt,
  passedCalls,
  passedGroups,
  passedWords,
  pathText,
  plainLine,
  present,
  reviewWords,
  ROOT_PATH,
  sessionTitle,
  shown,
  toReview,
} from '../../src/core/index.js';
import { eventsOf } from '../../src/repl/index.js';
import { askedRows, questionView } from '../../src/human/index.js';
import type { ListedGroup } from '../../src/human/seated.js';
import type { TableOptions } from '../../src/render/index.js';
import {
  formatAge,
  formatTable,
  formatUntil,
  plainTheme,
  shownTitle,
  valueLine,
} from '../../src/render/index.js';
import type { Io } from '../host/index.js';
import type { ReviewMark } from './review-marks.js';
import { hasMarks, markOf, readMarks, seenUntil } from './review-marks.js';

/** Options for displaying a list of calls. */
export interface ReviewLook extends TableOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The calls in a session that ran without asking the user. */
export interface SessionReview {
  readonly session: SessionId;
  /** Not escaped. */
  readonly title: string;
  /** All such calls, or only those after the mark. */
  readonly calls: readonly PassedCall[];
  readonly agent: Pick<RunState, 'agent'>;
  /** Number of the last event that the user had already seen. */
  readonly seen: number;
  /** Mark to save once the user has seen these calls; absent if the session has no events. */
  readonly mark?: ReviewMark;
  /** Problems with the session, one line each. If there are any, calls may be missing. */
  readonly notices: readonly string[];
}

/** Selects calls. */
interface Wanted {
  /** The user's review mark. If absent, all calls are included. */
  readonly mark?: ReviewMark | undefined;
  /** Whether to include calls that the user has seen. */
  readonly all?: boolean;
  /** Include only calls that started at or after this time, in milliseconds since 1970. */
  readonly since?: number | undefined;
}

/** Opens a session and reads its calls to review. Throws the same errors as `open`. */
export async function reviewOf(
  store: Pick<SessionStore, 'open'>,
  id: SessionId,
  wanted: Wanted,
): Promise<SessionReview> {
  await using session = await store.open(id, 'read');
  return await reviewIn(session, wanted);
}

/** Reads the calls to review in an open session. */
export async function reviewIn(session: Session, { mark, all, since }: Wanted): Promise<SessionReview> {
  const events = await eventsOf(session);
  const last = events.at(-1);
  const seen = seenUntil(mark, events);
  const calls = passedCalls(events).filter(
    ({ seq, startedAt }) =>
      (all === true || seq > seen) && (since === undefined || Date.parse(startedAt) >= since),
  );
  return {
    ...{
      session: session.id,
      title: sessionTitle(session.state),
      calls,
      seen,
      agent: present({ agent: session.state.agent }),
      notices: session.notices,
    },
    ...(last !== undefined && { mark: markOf(last, last.at) }),
  };
}

/** Whether the user has seen a session and it has not changed since. */
export function isSeen({ status, updatedAt }: SessionSummary, mark: ReviewMark | undefined): boolean {
  return mark?.updatedAt === updatedAt && status !== 'running';
}

/** Maximum number of sessions in which to count calls, newest first. */
const MOST_COUNTED = 10;
/** Time limit for opening further sessions to count calls, in milliseconds. */
const MOST_MS = 200;

/**
 * Reports the number of calls to review in the newest sessions. Empty if there are none, or if the user has
 * never marked calls as seen. Sessions are therefore not opened for users who do not review calls. Skips
 * unreadable sessions.
 */
export async function toReviewLines(io: Io, store: SessionStore): Promise<readonly Shown[]> {
  if (!hasMarks(io)) return [];
  const { marks } = await readMarks(io);
  const until = io.clock.now() + MOST_MS;
  let calls = 0;
  let isCut = false;
  for await (const summary of store.list({ limit: MOST_COUNTED })) {
    const mark = marks.get(summary.id);
    if (isSeen(summary, mark) || summary.status === 'unreadable') continue;
    isCut = io.clock.now() > until;
    if (isCut) break;
    try {
      calls += toReview((await reviewOf(store, summary.id, { mark })).calls);
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
    }
  }
  const least = isCut ? shown` or more` : shown``;
  return calls === 0 ? [] : [shown`${count(calls, 'call')}${least} ran without your approval: hitl review`];
}

const OUTCOMES: Readonly<Record<PassedCall['outcome'], string>> = {
  done: 'done',
  failed: 'failed',
  asked: 'asked',
  unknown: 'unknown',
};

/** Formats one row for each call, for output that is read by programs or saved to files. */
export function reviewRows(reviews: readonly SessionReview[], options: ReviewLook): Shown {
  const rows = reviews.flatMap(({ session, calls }) =>
    calls.filter((call) => !isFolded(call)).map((call) => ({ session, call })),
  );
  return formatTable(
    rows,
    [
      { title: 'SESSION', text: ({ session }) => session },
      { title: 'EVENT', text: ({ call }) => String(call.seq), align: 'right' },
      { title: 'AGE', shown: ({ call }) => formatAge(call.startedAt, options.now) },
      { title: 'OUTCOME', text: ({ call }) => OUTCOMES[call.outcome] },
      { title: 'TOOL', text: ({ call }) => call.tool },
      { title: 'BECAUSE', text: ({ call }) => passedWords(call) },
      { title: 'CALL', shown: ({ call }) => titleText(call) },
    ],
    options,
  );
}

/** How much detail to show for a session. */
export type Depth = 'groups' | 'calls' | 'plans';

/**
 * Formats the groups of calls in a session. With `calls`, also lists each call. With `plans`, also shows the
 * question about each call, even if it was not asked.
 */
export function reviewText(review: SessionReview, options: ReviewLook, depth: Depth): Shown {
  const { session, title, calls } = review;
  const { theme, columns = 80 } = options;
  const name = shownTitle(title);
  const head = shown`${laidOut(theme.strong(plainLine(name, Math.max(20, columns - session.length - 3))))}  ${laidOut(theme.dim(session))}\n`;
  const groups = passedGroups(calls);
  if (depth === 'groups') return shown`${head}${groupTable(groups, options)}`;
  return shown`${head}${joined(
    groups.map(
      (group) =>
        shown`${groupTable([group], options)}${callRows(group, { options, depth, agent: review.agent })}`,
    ),
    '',
  )}`;
}

function groupTable(groups: readonly PassedGroup[], options: TableOptions): Shown {
  return formatTable(
    groups,
    [
      { title: '', text: ({ what }) => `  ${what}`, narrows: 'wrap' },
      { title: '', text: ({ by }) => by, style: () => options.theme.dim, narrows: 'wrap' },
    ],
    { ...options, titles: false },
  );
}

/** Maximum number of calls to list per group. `--json` includes all of them. */
const MOST_CALLS = 50;

interface Shape {
  readonly options: ReviewLook;
  readonly depth: Depth;
  readonly agent: SessionReview['agent'];
}

function callRows({ calls, isFolded: folded }: PassedGroup, { options, depth, agent }: Shape): Shown {
  if (folded && depth !== 'plans') return shown``;
  const listed = calls.slice(0, MOST_CALLS);
  const left = calls.length - listed.length;
  const more = left === 0 ? shown`` : shown`    … ${count(left, 'more call')}: --json has all\n`;
  if (depth === 'plans')
    return shown`${joined(
      listed.map((call) => planText(call, agent, options)),
      '',
    )}${more}`;
  const table = formatTable(
    listed,
    [
      { title: '', text: ({ seq }) => `    ${seq}` },
      { title: '', shown: (call) => formatAge(call.startedAt, options.now), style: () => options.theme.dim },
      { title: '', shown: titleText, narrows: 'wrap' },
      { title: '', text: ({ outcome }) => OUTCOMES[outcome] },
    ],
    { ...options, titles: false },
  );
  return shown`${table}${more}`;
}

/** Formats the groups of calls in a session for an expandable list. */
export function listedGroups(
  { session, title, calls, agent }: SessionReview,
  look: ReviewLook,
): readonly ListedGroup[] {
  const part = `${plainLine(shownTitle(title), TITLE_COLUMNS)}  ${session}`;
  return passedGroups(calls).map(({ what, by, calls: all }) => ({
    part,
    text: escapeText(what),
    note: escapeText(by),
    rows: all.map((call) => ({
      text: shown`${titleText(call)} · ${escapeText(OUTCOMES[call.outcome])} · ${formatAge(call.startedAt, look.now)}`,
      detail: () =>
        planText(call, agent, { ...look, theme: plainTheme({ ascii: false }), most: Infinity })
          .trimEnd()
          .split('\n'),
    })),
  }));
}

const TITLE_COLUMNS = 50;

/** Maximum number of rows of a question to print. `--json` includes all of them. */
const MOST_ROWS = 40;
/** Width of a result, in columns. */
const RESULT_COLUMNS = 100;

/**
 * Formats a question as its title and up to `most` rows. If there are more rows, adds the number of those
 * left out.
 */
export function askedText(
  interrupt: Interrupt,
  agent: Pick<RunState, 'agent'>,
  most: number,
): { readonly title: string; readonly rows: readonly Shown[] } {
  const [title = '', ...rows] = askedRows(
    questionView(interrupt, { ...emptyState(), ...agent }, { open: [interrupt], limits: null }),
  );
  const left = rows.length - most;
  return {
    title,
    rows: [
      ...rows.slice(0, most).map((row) => laidOut(`  ${row}`)),
      ...(left > 0 ? [shown`  … ${count(left, 'more row')}: --json has all`] : []),
    ],
  };
}

/** Formats a call: its question, even if it was not asked, who allowed the call, and its result. */
function planText(
  call: PassedCall,
  agent: SessionReview['agent'],
  { theme, now, most = MOST_ROWS }: ReviewLook & { readonly most?: number },
): Shown {
  const { seq, outcome, error, output, effect, attempt, startedAt } = call;
  const { title, rows } = askedText(questionOf(call), agent, most);
  const again = attempt === 1 ? shown`` : shown`, attempt ${attempt}`;
  const result =
    error !== undefined
      ? shown`: ${plainLine(error.message, RESULT_COLUMNS)}`
      : output === undefined
        ? shown``
        : shown`: ${laidOut(valueLine(output, RESULT_COLUMNS))}`;
  const lines: readonly Shown[] = [
    shown`  ${laidOut(theme.strong(title))}`,
    ...rows.map((row) => shown`  ${row}`),
    shown`    not asked: ${escapeText(passedWords(call))}${verdictText(call)}`,
    shown`    ran ${formatUntil(startedAt, now)} (event ${seq}, effect ${escapeText(effect)}${again}): ${escapeText(OUTCOMES[outcome])}${result}`,
  ];
  return joined(
    lines.map((line) => shown`  ${line}\n`),
    '',
  );
}

/** Formats a reviewer's verdict: `: The user asked for it (low)`. */
function verdictText({ review }: PassedCall): Shown {
  return review === undefined ? shown`` : shown`: ${reviewWords({ outcome: { type: 'said', ...review } })}`;
}

/** Returns the question about a call. If none was asked, constructs it. */
function questionOf(call: PassedCall): Interrupt {
  const { ref, tool: name, input, title, plan = {}, askedBy: raisedBy = 'approval', startedAt } = call;
  const source = { type: 'tool', ref, name, input, raisedBy, ...present({ title }) } as const;
  return makeInterrupt(
    { kind: 'confirmation', source, payload: plan },
    { id: interruptId('i0'), path: ROOT_PATH, raisedAt: startedAt },
  );
}

export function titleText({ tool: name, input, title, path }: PassedCall): Shown {
  const where = path === undefined ? shown`` : shown` in ${escapeText(pathText(path))}`;
  return shown`${laidOut(callWordsOf({ name, input, ...present({ title }) }))}${where}`;
}
