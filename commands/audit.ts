import type { SessionExamination, SessionStore, Shown } from '../src/core/index.js';
import { escapeText, HitlError, shown, joined } from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import { countOpenings } from '../sessions/index.js';
import type { AuditCounts, AuditFinding } from './report/index.js';
import { auditEvents, auditOutputs } from './report/index.js';
import { openStore, userKey } from './store/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags } from './flags/index.js';
import { printJson, tell } from './host/index.js';

/** The report that `hitl audit verify --json` prints. */
interface AuditReport {
  readonly session: string;
  readonly ok: boolean;
  /** The journal's lines: checksums, numbers, chain, and whether the records fit each other. */
  readonly chain: Chain;
  readonly checked: AuditCounts;
  /** The number of times that the session was opened for writing: all of them, and those with the key of this user. */
  readonly openings: { readonly all: number; readonly ours: number };
  readonly findings: readonly AuditFinding[];
}

/** `hitl audit verify`: checks a session from its files alone, and says where it breaks; changes nothing. */
export async function auditVerify(io: Io, [given]: readonly unknown[], flags: CommonFlags): Promise<number> {
  const store = await openStore(io, flags);
  const id = await store.resolve(String(given));
  const { status, meaning, where, records } = await chainOf(store, id);
  if (status === 'missing') throw new HitlError('SESSION_NOT_FOUND', meaning, { hint: 'hitl list' });
  if (status === 'unreadable')
    throw new HitlError('SESSION_UNREADABLE', meaning, { hint: `hitl doctor ${id}` });
  const events = records === 0 ? [] : await readEvents(store, id);
  const { findings: unfit, counts } = auditEvents(events);
  const findings = [...unfit, ...(await auditOutputs(events, store, id))];
  const report: AuditReport = {
    session: id,
    ok: (status === 'ok' || status === 'torn') && findings.length === 0,
    chain: { status, meaning, ...(where !== undefined && { where }), records },
    checked: counts,
    openings: countOpenings(userKey(io), id, events),
    findings,
  };
  if (flags.json === true) printJson(io, report);
  else tell(io.stdout, reportText(report));
  return report.ok ? 0 : 5;
}

type Chain = Pick<SessionExamination, 'status' | 'meaning' | 'where' | 'records'>;

/** The state of the journal's lines. A store without a doctor says it where a session is opened: every line is checked. */
async function chainOf(store: SessionStore, id: SessionExamination['id']): Promise<Chain> {
  const found = await store.capabilities.doctor?.examine(id);
  if (found !== undefined) return found;
  await using session = await store.open(id, 'read');
  const { notices, version: records } = session;
  return notices.length === 0
    ? { status: 'ok', meaning: `all ${records} records are good`, records }
    : { status: 'damaged', meaning: notices.join('; '), records };
}

async function readEvents(store: SessionStore, id: SessionExamination['id']) {
  await using session = await store.open(id, 'read');
  return await eventsOf(session);
}

function reportText({ session, ok, chain, checked, openings, findings }: AuditReport): Shown {
  const { where } = chain;
  const place =
    where === undefined
      ? shown``
      : shown` (line ${where.line}, byte ${where.byte}${where.kind === undefined ? shown`` : shown`, ${escapeText(where.kind)}`})`;
  const { interrupts, resolutions, starts, approvedStarts, byClock = 0 } = checked;
  const lines = [
    shown`session   ${escapeText(session)}`,
    shown`journal   ${escapeText(chain.status)}: ${escapeText(chain.meaning)}${place}`,
    shown`checked   ${interrupts} questions, ${resolutions} answers${byClock === 0 ? shown`` : shown` (${byClock} by the clock)`}, ${starts} starts of tools, ${approvedStarts} of them with an approval`,
    shown`openings  ${openings.all}, ${openings.ours} of them sealed with your key`,
    ...findings.map(
      ({ seq, rule, what }) => shown`broken    record ${seq}: ${escapeText(what)} (${escapeText(rule)})`,
    ),
    shown`result    ${ok ? shown`whole` : shown`broken`}; checksums are no signatures: the seals say which openings were yours`,
  ];
  return joined(lines);
}
