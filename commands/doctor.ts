import { count, escapeText, HitlError, shown, joined } from '../src/core/index.js';
import type { SessionDoctor, SessionExamination, SessionId, SessionStore, Shown } from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import type { Check } from './report/checks.js';
import { installationChecks } from './report/checks.js';
import { hookChecks } from './hook/hook-checks.js';
import { unknownActor } from './report/audit-findings.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { printJson, tell } from './host/index.js';
import { doctorOf, openStore } from './store/store.js';
import { sendAgain } from './channels/channel-checks.js';

interface DoctorFlags extends SessionFlags {
  readonly repair?: boolean;
  readonly salvage?: boolean;
  readonly resend?: boolean;
}

/** `hitl doctor`: checks the installation, or examines, explains and repairs one session. */
export async function doctor(io: Io, given: string | undefined, flags: DoctorFlags): Promise<number> {
  if (given !== undefined) return sessionDoctor(io, given, flags);
  if (flags.repair === true || flags.salvage === true) {
    throw new HitlError('USAGE', 'missing session id', {
      hint: 'hitl doctor <id> --repair',
    });
  }
  if (flags.resend === true) await resend(io, flags);
  const hooks = hookChecks(io, process.argv[1] ?? '');
  const checks = [...(await installationChecks(io, flags)), ...hooks];
  if (flags.json === true) printJson(io, checks);
  else for (const check of checks) tell(io.stdout, checkText(check));
  return checks.some(({ status }) => status === 'failed') ? 1 : 0;
}

/** Queues undelivered notifications again. */
async function resend(io: Io, flags: DoctorFlags): Promise<void> {
  const sent = await sendAgain(openStore(io, flags), io.clock.now());
  tell(io.stderr, shown`${count(sent, 'message')} will be sent again by hitl serve or hitl worker`);
}

function checkText({ status, what, found, hint }: Check): Shown {
  const mark = { ok: 'ok    ', warning: 'warn  ', failed: 'failed' }[status];
  const advice = hint === undefined ? shown`` : shown`\n        hint: ${escapeText(hint)}`;
  return shown`${escapeText(mark)}  ${escapeText(what)}: ${escapeText(found)}${advice}`;
}

async function sessionDoctor(io: Io, given: string, flags: DoctorFlags): Promise<number> {
  const store = openStore(io, flags);
  const doctor = doctorOf(store);
  const id = await store.resolve(given);
  if (flags.salvage === true) return salvage(io, doctor, id, flags);
  const done = flags.repair === true ? (await doctor.repair(id)).done : [];
  const found = await doctor.examine(id);
  const isWhole = found.status === 'ok' || found.status === 'torn';
  const unclear = isWhole ? await unclearRecords(store, id) : [];
  if (flags.json === true)
    printJson(io, { ...found, ...(done.length > 0 && { done }), ...(unclear.length > 0 && { unclear }) });
  else {
    for (const line of done) tell(io.stdout, shown`done: ${escapeText(line)}`);
    tell(io.stdout, examinationText(found, unclear));
  }
  return isWhole && unclear.length === 0 ? 0 : 5;
}

/** Lists records that are valid but have an actor that no version of hitl writes. */
async function unclearRecords(store: SessionStore, id: SessionId): Promise<readonly string[]> {
  await using session = await store.open(id, 'read');
  const events = await eventsOf(session);
  return events.flatMap(({ seq, event }) => {
    const why = unknownActor(event);
    return why === undefined ? [] : [`event ${seq}: ${why}`];
  });
}

async function salvage(io: Io, doctor: SessionDoctor, id: SessionId, flags: DoctorFlags): Promise<number> {
  const { id: copy, records, inDoubt } = await doctor.salvage(id);
  if (flags.json === true) {
    printJson(io, { from: id, session: copy, records, inDoubt }, 'line');
    return 0;
  }
  io.stdout.write(shown`${copy}\n`);
  tell(io.stderr, shown`Copied ${records} valid events of ${id}; the original is unchanged`);
  if (inDoubt > 0) tell(io.stderr, shown`${count(inDoubt, 'call')} may have run; hitl will ask what to do`);
  tell(io.stderr, shown`hint: hitl resume ${copy}`);
  return 0;
}

function examinationText(found: SessionExamination, unclear: readonly string[]): Shown {
  const { id, path, status, meaning, remedies, where, records, epoch, owner, snapshot, loose } = found;
  const lines = [
    shown`session   ${id}`,
    shown`folder    ${escapeText(path)}`,
    shown`status    ${escapeText(status)}: ${escapeText(meaning)}`,
    ...(where === undefined
      ? []
      : [
          shown`where     line ${where.line}, byte ${where.byte}${where.kind === undefined ? shown`` : shown` (${escapeText(where.kind)})`}`,
        ]),
    shown`events    ${records} valid, opened ${epoch === 1 ? shown`once` : shown`${epoch} times`} for writing`,
    shown`snapshot  ${escapeText(snapshot)}`,
    ...(owner === undefined
      ? []
      : [
          shown`lock      process ${owner.pid}${owner.isAlive === false ? shown` (no longer running)` : shown``}`,
        ]),
    ...(loose.length === 0
      ? []
      : [
          shown`access    readable by others: ${joined(
            loose.map((name) => escapeText(name)),
            ', ',
          )}`,
        ]),
    ...unclear.map((line) => shown`unclear   ${escapeText(line)}`),
    ...remedies.map((remedy) => shown`hint: ${escapeText(remedy)}`),
  ];
  return joined(lines);
}
