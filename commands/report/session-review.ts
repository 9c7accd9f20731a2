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

/** How a list of calls is laid out. */
export interface ReviewLook extends TableOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The calls of a session that nobody was asked about. */
export interface SessionReview {
  readonly session: SessionId;
  /** Not escaped. */
  readonly title: string;
  /** All of them, or those since the mark. */
  readonly calls: readonly PassedCall[];
  readonly agent: Pick<RunState, 'agent'>;
  /** The last event that was looked at before. */
  readonly seen: number;
  /** What marks these as seen; absent for an empty history. */
  readonly mark?: ReviewMark;
  /** What is wrong with the session, one line each: calls may be missing. */
  readonly notices: readonly string[];
}

/** Which calls are wanted. */
interface Wanted {
  /** How far the user has looked; absent: all of them. */
  readonly mark?: ReviewMark | undefined;
  /** With calls that the user has seen. */
  readonly all?: boolean;
  /** Milliseconds since 1970: only calls that started since then. */
  readonly since?: number | undefined;
}

/** Reads what went by in a session. Throws what `open` throws. */
export async function reviewOf(
  store: Pick<SessionStore, 'open'>,
  id: SessionId,
  wanted: Wanted,
): Promise<SessionReview> {
  await using session = await store.open(id, 'read');
  return await reviewIn(session, wanted);
}

/** Reads what went by in an open session. */
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

/** Whether a session has not changed since its user looked at it. */
export function isSeen({ status, updatedAt }: SessionSummary, mark: ReviewMark | undefined): boolean {
  return mark?.updatedAt === updatedAt && status !== 'running';
}

/** Number of sessions that are counted: the newest. */
const MOST_COUNTED = 10;
/** Time after which no other session is opened to count. */
const MOST_MS = 200;

/**
 * Says how many calls of the newest sessions are to review; nothing if there are none, or the user has never marked any as
 * seen: a list of questions opens no session for those who do not review. Skips unreadable sessions.
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

/** Formats one row for each call, for programs and files. */
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

/** How much of a session is shown. */
export type Depth = 'groups' | 'calls' | 'plans';

/** Formats a session by groups; with `calls` each of them, with `plans` also what its question showed or would have. */
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

/** Calls of a group that are listed; `--json` has all. */
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

/** Formats a session's groups for a list that opens them. */
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

/** Rows of what was shown that are told; all of them are in the record. */
const MOST_ROWS = 40;
/** Columns of a result. */
const RESULT_COLUMNS = 100;

/** A question as it was shown: its title, and its rows with the count of those that have no room. */
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

/** A call as its question showed it or would have shown it, who let it run, and how it ended. */
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

/** `: The user asked for it (low)`: what its reviewer said. */
function verdictText({ review }: PassedCall): Shown {
  return review === undefined ? shown`` : shown`: ${reviewWords({ outcome: { type: 'said', ...review } })}`;
}

/** The question that was answered about a call, or that could have been asked. */
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
