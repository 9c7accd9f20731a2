import { needsWords } from '../sessions/index.js';
import type {
  LiveWorker,
  OpenOfKind,
  SessionStatus,
  SessionStore,
  Shown,
  StoreStatus,
} from '../src/core/index.js';
import {
  count,
  durationText,
  escapeText,
  isoTime,
  joined,
  plainLine,
  shown,
  timeOf,
} from '../src/core/index.js';
import { formatAge, rowsWithin } from '../src/render/index.js';
import type { CommonFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { printJson, sessionsFolder, tell } from './host/index.js';
import { sessionCount } from './report/unserved-lines.js';
import { stdoutTable } from './screen/theme.js';
import { copyNotice, openStore } from './store/store.js';
import { shownStore } from './store/address.js';

/** Maximum width of untrusted text, in columns. */
const WORDS_COLUMNS = 60;
/** Maximum number of workers and requirements to list; `--json` shows all. */
const MOST_SHOWN = 20;
const LABEL_COLUMNS = 10;
/** Maximum number of database rows to count. */
const MOST_COUNTED = 10_000;
/** Clocks that differ by fewer milliseconds than this are considered equal. */
const SKEWED_MS = 1_000;

const STATUSES: readonly SessionStatus[] = [
  ...(['running', 'waiting', 'interrupted'] as const),
  ...(['failed', 'done', 'unreadable'] as const),
];

/** `hitl store status`: shows the store's health, pending work and workers. */
export async function storeStatus(io: Io, flags: CommonFlags): Promise<number> {
  const store = openStore(io, {});
  const now = (store.clock ?? io.clock).now();
  const status = (await store.capabilities.status?.()) ?? (await statusOfList(store, now));
  if (flags.json === true) {
    printJson(io, status);
    return 0;
  }
  const copied = await copyNotice(store);
  if (copied !== undefined && flags.quiet !== true) tell(io.stderr, copied);
  const place = shownStore(io, {}).value ?? sessionsFolder(io, undefined);
  io.stdout.write(rowsWithin(statusText(place, status, now), stdoutTable(io, flags.color).columns));
  return 0;
}

/** Formats a store's status as labeled lines. */
export function statusText(place: string, status: StoreStatus, now: number): Shown {
  const rows: readonly Row[] = [['store', escapeText(place)], ...rowsOf(status, now)];
  return joined(
    rows.map(([label, words]) => shown`${escapeText(label.padEnd(LABEL_COLUMNS))}${words}\n`),
    '',
  );
}

type Row = readonly [label: string, words: Shown];

function rowsOf(status: StoreStatus, now: number): readonly Row[] {
  const { sessions, open, due, failing, unserved = [], workers, schema, clockAheadMs } = status;
  const counts = STATUSES.flatMap((name) => {
    const n = sessions[name] ?? 0;
    return n === 0 ? [] : [shown`${counted(n)} ${escapeText(name)}`];
  });
  return [
    ...(schema === undefined
      ? []
      : [row('schema', shown`${schema.version} (readable by version ${schema.readsFrom} or later)`)]),
    ...(clockAheadMs === undefined ? [] : [row('clock', clockWords(clockAheadMs))]),
    row('sessions', counts.length === 0 ? shown`none` : joined(counts, ', ')),
    row(
      'open',
      open.length === 0
        ? shown`none`
        : joined(
            open.map((one) => openWords(one, now)),
            ', ',
          ),
    ),
    row('due now', due.oldest === undefined ? shown`none` : dueWords(due.sessions, due.oldest, now)),
    ...(failing?.first ?? []).map(({ session, attempts, why = 'its worker crashed each time' }) =>
      row('failing', shown`${session} after ${attempts} attempts: ${plainLine(why, WORDS_COLUMNS)}`),
    ),
    ...moreRow('failing', (failing?.sessions ?? 0) - (failing?.first.length ?? 0)),
    ...unserved.slice(0, MOST_SHOWN).map(({ needs, sessions: n, why }) => {
      const words = plainLine(needsWords(needs), WORDS_COLUMNS);
      return row('unserved', shown`${sessionCount(n)}: needs ${words} (${plainLine(why, WORDS_COLUMNS)})`);
    }),
    ...moreRow('unserved', unserved.length - MOST_SHOWN),
    ...(workers ?? []).slice(0, MOST_SHOWN).map((worker) => row('worker', workerWords(worker, now))),
    ...moreRow('worker', (workers?.length ?? 0) - MOST_SHOWN),
    ...(workers?.length === 0 ? [row('worker', shown`no workers running; start one: hitl worker`)] : []),
  ];
}

function counted(n: number): Shown {
  return n === MOST_COUNTED ? shown`${n} or more` : shown`${n}`;
}

function row(label: string, words: Shown): Row {
  return [label, words];
}

function moreRow(label: string, more: number): readonly Row[] {
  return more > 0 ? [row(label, shown`${more} more`)] : [];
}

function clockWords(aheadMs: number): Shown {
  if (Math.abs(aheadMs) < SKEWED_MS) return shown`this machine’s clock matches the database`;
  const by = escapeText(durationText(Math.abs(aheadMs)));
  return aheadMs > 0
    ? shown`this machine’s clock is ${by} ahead of the database`
    : shown`this machine’s clock is ${by} behind the database`;
}

function openWords({ kind, questions, oldest }: OpenOfKind, now: number): Shown {
  return shown`${counted(questions)} ${plainLine(kind, WORDS_COLUMNS)} (oldest ${formatAge(oldest, now)})`;
}

function dueWords(sessions: number, oldest: string, now: number): Shown {
  const words = sessions === MOST_COUNTED ? shown`${counted(sessions)} sessions` : count(sessions, 'session');
  return shown`${words} (oldest ${formatAge(oldest, now)})`;
}

function workerWords({ host, pid, program, slots, held, seenAt, lacks }: LiveWorker, now: number): Shown {
  const words = plainLine(program === '' ? host : `${host}, ${program}`, WORDS_COLUMNS);
  const lacking =
    lacks.length === 0 ? shown`` : shown`, cannot run ${count(lacks.length, 'kind')} of session`;
  return shown`${words}, pid ${pid}: ${held} of ${count(slots, 'slot')}, seen ${formatAge(seenAt, now)}${lacking}`;
}

/** Derives the status from the list of sessions, for a store that does not report its status. */
async function statusOfList(store: SessionStore, now: number): Promise<StoreStatus> {
  const sessions: Partial<Record<SessionStatus, number>> = {};
  const over: number[] = [];
  for await (const { status, until } of store.list()) {
    sessions[status] = (sessions[status] ?? 0) + 1;
    if (until !== undefined && timeOf(until) <= now) over.push(timeOf(until));
  }
  const open = new Map<string, OpenOfKind>();
  for await (const { interrupt } of store.waiting()) {
    const { kind, raisedAt } = interrupt;
    const { questions, oldest } = open.get(kind) ?? { questions: 0, oldest: raisedAt };
    open.set(kind, { kind, questions: questions + 1, oldest: raisedAt < oldest ? raisedAt : oldest });
  }
  const [first] = over.sort((one, other) => one - other);
  return {
    sessions,
    open: [...open.values()].sort((one, other) => other.questions - one.questions),
    due: { sessions: over.length, ...(first !== undefined && { oldest: isoTime(first) }) },
  };
}
