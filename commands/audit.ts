import type {
  InboxOrigins,
  SessionExamination,
  SessionParent,
  SessionStore,
  Shown,
  StoredEvent,
} from '../src/core/index.js';
import { count, escapeText, HitlError, shown, joined } from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import type { AuditCounts, AuditFinding, WrittenRange } from './report/audit-findings.js';
import { auditEvents, writtenRanges } from './report/audit-findings.js';
import { auditOutputs } from './report/audit-outputs.js';
import { openStore } from './store/store.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { printJson, tell } from './host/index.js';

/** The report printed by `hitl audit verify --json`. */
interface AuditReport {
  readonly session: string;
  readonly ok: boolean;
  /**
   * `whole`: everything is consistent and signed with your key. `partly`: consistent, but you adopted
   * untrusted records or continued after records were lost. `foreign`: contains untrusted records that were
   * not adopted. `cut`: records are missing and the session has not continued since. `unsigned`: consistent,
   * but the store has no key.
   */
  readonly result: 'whole' | 'partly' | 'foreign' | 'cut' | 'unsigned' | 'broken';
  /** State of the journal's lines: checksums, numbers, chain and consistency. */
  readonly chain: Chain;
  readonly checked: AuditCounts;
  /** Origin of the session's first records, if the session was copied or imported. */
  readonly parent?: SessionParent;
  /** Ranges of records and whether your key signed them; empty if the store has no key. */
  readonly written: readonly WrittenRange[];
  /** Origins of the records in the inbox. */
  readonly inbox?: InboxOrigins;
  /** Lost records, and the records at which the session continued without them; absent if none were lost. */
  readonly gone?: readonly GoneRecords[];
  /**
   * Numbers of the records at which the session continued after the database was restored from a backup;
   * absent if there are none.
   */
  readonly restored?: readonly number[];
  readonly findings: readonly AuditFinding[];
}

/** `hitl audit verify`: verifies a session using only its files and reports any problems. Changes nothing. */
export async function auditVerify(io: Io, given: string, flags: SessionFlags): Promise<number> {
  const store = openStore(io, flags);
  const id = await store.resolve(given);
  const { status, meaning, where, records } = await chainOf(store, id);
  if (status === 'missing') throw new HitlError('SESSION_NOT_FOUND', meaning, { hint: 'hitl list' });
  if (status === 'unreadable')
    throw new HitlError('SESSION_UNREADABLE', meaning, { hint: `hitl doctor ${id}` });
  const { events, missing } = records === 0 ? NOTHING : await readEvents(store, id);
  const { findings: unfit, counts } = auditEvents(events);
  const findings = [...unfit, ...(await auditOutputs(events, store, id))];
  const { signs = false } = store.capabilities;
  const written = signs ? writtenRanges(events) : [];
  const inbox = signs ? await store.mail(id).origins?.() : undefined;
  const gone = goneRecords(events, missing);
  const restored = restoredIn(events);
  const fits = (status === 'ok' || status === 'torn') && findings.length === 0;
  const parent = parentOf(events);
  const own = signs ? authenticity(written, inbox, gone) : 'unsigned';
  const result = !fits ? 'broken' : own === 'whole' && parent?.foreign === true ? 'partly' : own;
  const report: AuditReport = {
    session: id,
    ok: result !== 'broken' && result !== 'foreign' && result !== 'cut',
    result,
    chain: { status, meaning, ...(where !== undefined && { where }), records },
    checked: counts,
    ...(parent !== undefined && { parent }),
    written,
    ...(inbox !== undefined && { inbox }),
    ...(gone.length > 0 && { gone }),
    ...(restored.length > 0 && { restored }),
    findings,
  };
  if (flags.json === true) printJson(io, report);
  else tell(io.stdout, reportText(report));
  return report.ok ? 0 : 5;
}

function parentOf(events: readonly StoredEvent[]): SessionParent | undefined {
  const first = events[0]?.event;
  return first?.type === 'session-created' ? first.parent : undefined;
}

function parentText({ kind, session, seq = 0, foreign }: SessionParent): Shown {
  if (kind === 'import') return shown`imported from a transcript`;
  const from = shown`fork of ${escapeText(session ?? '')} up to event ${seq}`;
  return foreign === true ? shown`${from}, part of which was not signed with your key` : from;
}

/**
 * Returns the authenticity of a consistent session. An untrusted inbox record makes it `foreign`. Such a
 * record is ignored, but it stays until it is removed.
 */
function authenticity(
  written: readonly WrittenRange[],
  inbox: InboxOrigins | undefined,
  gone: readonly GoneRecords[],
): 'whole' | 'partly' | 'foreign' | 'cut' {
  const isOpen = written.some(({ by, takenOver }) => by === 'unknown' && takenOver === undefined);
  if (isOpen || (inbox?.waiting ?? 0) > 0) return 'foreign';
  if (gone.some(({ seq }) => seq === undefined)) return 'cut';
  return gone.length === 0 && written.every(({ by }) => by === 'your-key') ? 'whole' : 'partly';
}

/** Records that no longer exist. */
interface GoneRecords {
  readonly records: number;
  /** Number of the record at which the session continued without them; absent if it has not continued. */
  readonly seq?: number;
}

function goneRecords(events: readonly StoredEvent[], missing: number | undefined): readonly GoneRecords[] {
  const before = events.flatMap(({ seq, event, foreign }) =>
    event.type === 'approvals-voided' && event.lost !== undefined && foreign !== true
      ? [{ records: event.lost.count, seq }]
      : [],
  );
  return missing === undefined ? before : [...before, { records: missing }];
}

function restoredIn(events: readonly StoredEvent[]): readonly number[] {
  return events.flatMap(({ seq, event, foreign }) =>
    event.type === 'approvals-voided' && event.restored === true && foreign !== true ? [seq] : [],
  );
}

type Chain = Pick<SessionExamination, 'status' | 'meaning' | 'where' | 'records'>;

/**
 * Returns the state of the journal's lines. If the store cannot examine sessions, opens the session, because
 * opening it checks every line.
 */
async function chainOf(store: SessionStore, id: SessionExamination['id']): Promise<Chain> {
  const found = await store.capabilities.doctor?.examine(id);
  if (found !== undefined) return found;
  await using session = await store.open(id, 'read');
  const { notices, version: records } = session;
  return notices.length === 0
    ? { status: 'ok', meaning: `all ${records} events verified`, records }
    : { status: 'damaged', meaning: notices.join('; '), records };
}

interface Recorded {
  readonly events: readonly StoredEvent[];
  readonly missing: number | undefined;
}

const NOTHING: Recorded = { events: [], missing: undefined };

async function readEvents(store: SessionStore, id: SessionExamination['id']): Promise<Recorded> {
  await using session = await store.open(id, 'read');
  return { events: await eventsOf(session), missing: session.missing };
}

const RESULTS: Readonly<Record<AuditReport['result'], Shown>> = {
  whole: shown`intact, and signed with your key`,
  partly: shown`partly yours: you continued a history in which some events were not signed with your key or were lost`,
  foreign: shown`not yours: events that were not signed with your key are not trusted`,
  cut: shown`not intact: some events are missing`,
  unsigned: shown`intact, but this store has no key: anyone who can write to it can change its contents`,
  broken: shown`broken`,
};

function reportText(report: AuditReport): Shown {
  const {
    session,
    result,
    chain,
    checked,
    parent,
    written,
    inbox,
    gone = [],
    restored = [],
    findings,
  } = report;
  const { where } = chain;
  const place =
    where === undefined
      ? shown``
      : shown` (line ${where.line}, byte ${where.byte}${where.kind === undefined ? shown`` : shown`, ${escapeText(where.kind)}`})`;
  const { interrupts, resolutions, starts, approvedStarts, byClock = 0 } = checked;
  const lines = [
    shown`session   ${escapeText(session)}`,
    shown`journal   ${escapeText(chain.status)}: ${escapeText(chain.meaning)}${place}`,
    shown`checked   ${count(interrupts, 'question')}, ${count(resolutions, 'answer')}${byClock === 0 ? shown`` : shown` (${byClock} timed out)`}, ${count(starts, 'tool run')} (${approvedStarts} approved)`,
    ...(parent === undefined ? [] : [shown`parent    ${parentText(parent)}`]),
    ...(written.length === 0 ? [] : [shown`written   ${joined(written.map(rangeText), '; ')}`]),
    ...(inbox === undefined || inbox.ours + inbox.foreign === 0
      ? []
      : [shown`inbox     ${inbox.ours} with your key, ${inbox.foreign} without`]),
    ...gone.map(({ records, seq }) => {
      const what = count(records, 'event');
      return seq === undefined ? shown`missing   ${what}` : shown`missing   ${what}, before event ${seq}`;
    }),
    ...restored.map((seq) => shown`restored  from a database backup, before event ${seq}`),
    ...findings.map(
      ({ seq, rule, what }) => shown`broken    event ${seq}: ${escapeText(what)} (${escapeText(rule)})`,
    ),
    shown`result    ${RESULTS[result]}`,
  ];
  return joined(lines);
}

function rangeText({ from, to, by, takenOver }: WrittenRange): Shown {
  const records = from === to ? shown`event ${from}` : shown`events ${from}-${to}`;
  if (by === 'your-key') return shown`${records} with your key`;
  return takenOver === undefined
    ? shown`${records} not with your key`
    : shown`${records} not with your key, taken over by you in event ${takenOver}`;
}
