import { count, escapeText, HitlError } from '../src/core/index.js';
import type { SessionDoctor, SessionExamination, SessionId, SessionStore } from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import type { Check } from './report/index.js';
import { installationChecks, unknownActor } from './report/index.js';
import type { Io } from './host/index.js';
import type { RunFlags } from './flags/index.js';
import { printJson, tell } from './host/index.js';
import { doctorOf, openStore } from './store/index.js';

interface DoctorFlags extends RunFlags {
  readonly repair?: boolean;
  readonly salvage?: boolean;
  readonly unlock?: boolean;
}

/** `hitl doctor`: checks the installation, or examines, explains and mends one session. */
export async function doctor(io: Io, [given]: readonly unknown[], flags: DoctorFlags): Promise<number> {
  if (typeof given === 'string') return sessionDoctor(io, given, flags);
  if (flags.repair === true || flags.salvage === true || flags.unlock === true) {
    throw new HitlError('USAGE', 'which session is to be mended? no id was given', {
      hint: 'hitl doctor <id> --repair',
    });
  }
  const checks = await installationChecks(io, flags);
  if (flags.json === true) printJson(io, checks);
  else for (const check of checks) tell(io.stdout, checkText(check));
  return checks.some(({ status }) => status === 'failed') ? 1 : 0;
}

function checkText({ status, what, found, hint }: Check): string {
  const mark = { ok: 'ok    ', warning: 'warn  ', failed: 'failed' }[status];
  const advice = hint === undefined ? '' : `\n        hint: ${escapeText(hint)}`;
  return `${mark}  ${what}: ${escapeText(found)}${advice}`;
}

async function sessionDoctor(io: Io, given: string, flags: DoctorFlags): Promise<number> {
  const store = openStore(io, flags);
  const doctor = doctorOf(store);
  const id = await store.resolve(given);
  if (flags.salvage === true) return salvage(io, doctor, id, flags);
  const unlock = flags.unlock === true;
  const done = flags.repair === true || unlock ? (await doctor.repair(id, { unlock })).done : [];
  const found = await doctor.examine(id);
  const isWhole = found.status === 'ok' || found.status === 'torn';
  const unclear = isWhole ? await unclearRecords(store, id) : [];
  if (flags.json === true)
    printJson(io, { ...found, ...(done.length > 0 && { done }), ...(unclear.length > 0 && { unclear }) });
  else {
    for (const line of done) tell(io.stdout, `done: ${escapeText(line)}`);
    tell(io.stdout, examinationText(found, unclear).trimEnd());
  }
  return isWhole && unclear.length === 0 ? 0 : 5;
}

/** Names the records that fit the journal and say what no version of ours writes. */
async function unclearRecords(store: SessionStore, id: SessionId): Promise<readonly string[]> {
  await using session = await store.open(id, 'read');
  const events = await eventsOf(session);
  return events.flatMap(({ seq, event }) => {
    const why = unknownActor(event);
    return why === undefined ? [] : [`record ${seq}: ${why}`];
  });
}

async function salvage(io: Io, doctor: SessionDoctor, id: SessionId, flags: DoctorFlags): Promise<number> {
  const { id: copy, records, inDoubt } = await doctor.salvage(id);
  if (flags.json === true) {
    printJson(io, { from: id, session: copy, records, inDoubt }, 'line');
    return 0;
  }
  io.stdout.write(`${copy}\n`);
  tell(io.stderr, `${records} good records of ${id} were copied; the original is as it was`);
  if (inDoubt > 0) tell(io.stderr, `${count(inDoubt, 'call')} may have run; you will be asked`);
  tell(io.stderr, `hint: hitl resume ${copy}`);
  return 0;
}

function examinationText(found: SessionExamination, unclear: readonly string[]): string {
  const { id, path, status, meaning, remedies, where, records, epoch, owner, snapshot, loose } = found;
  const lines = [
    `session   ${id}`,
    `folder    ${escapeText(path)}`,
    `status    ${status}: ${escapeText(meaning)}`,
    ...(where === undefined
      ? []
      : [
          `where     line ${where.line}, byte ${where.byte}${where.kind === undefined ? '' : ` (${where.kind})`}`,
        ]),
    `records   ${records} good, ${count(epoch, 'writer')} so far`,
    `snapshot  ${snapshot}`,
    ...(owner === undefined
      ? []
      : [`lock      process ${owner.pid}${owner.isAlive === false ? ', which is gone' : ''}`]),
    ...(loose.length === 0
      ? []
      : [`modes     others can read: ${loose.map((name) => escapeText(name)).join(', ')}`]),
    ...unclear.map((line) => `unclear   ${escapeText(line)}`),
    ...remedies.map((remedy) => `hint: ${escapeText(remedy)}`),
  ];
  return `${lines.join('\n')}\n`;
}
