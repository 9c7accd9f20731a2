import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { StoredEvent } from '../../src/core/index.js';
import { canonicalJson, checkMessages, isJsonObject, isSessionId } from '../../src/core/index.js';
import { EXPECTED_EFFECTS, refOf } from './kill-world.js';
import type { KillWorld } from './kill-world.js';
import type { Ledger } from './life.js';
import { live } from './life.js';

/** How far a session has come when it is looked at. */
export type AuditMoment = 'died' | 'ended';

/**
 * The one judge of every fault: what the program said and did against what the journal holds.
 * @returns the violations; none is the proof.
 */
export async function audit(
  world: KillWorld,
  ledger: Ledger,
  moment: AuditMoment,
): Promise<readonly string[]> {
  const id = await world.id();
  if (id === undefined || !isSessionId(id)) return moment === 'ended' ? ['there is no session'] : [];
  const events = await world.events(id);
  const folder = world.place.folderOf?.(id);
  return [
    ...missingEvents(events, ledger),
    ...missingAnswers(events, ledger),
    ...falseAlarms(events),
    ...wrongEffects(world, events),
    ...(await invalidHistory(world, id)),
    ...(folder === undefined ? [] : looseModes(folder)),
    ...(moment === 'ended' ? unfinished(world, events) : []),
  ];
}

/** The end holds: the oracle finds nothing, and resuming again adds nothing but that the session was opened. */
export async function judgeEnd(world: KillWorld, ledger: Ledger): Promise<readonly string[]> {
  const first = await audit(world, ledger, 'ended');
  const id = await world.id();
  if (first.length > 0 || id === undefined) return first;
  const before = await world.journal(id);
  const effects = JSON.stringify(world.effects());
  const again = await live(world, { args: ['resume', id, '-p'], ledger });
  const after = await world.journal(id);
  const added = (await world.events(id)).slice(before.toString('latin1').split('\n').length - 1);
  const problems: string[] = [];
  if (again.status !== 0) problems.push(`resuming again ended with status ${again.status}: ${again.stderr}`);
  if (!after.subarray(0, before.length).equals(before)) problems.push('resuming again changed the journal');
  const foreign = added.filter(({ event }) => event.type !== 'session-opened');
  if (foreign.length > 0) problems.push(`resuming again added ${JSON.stringify(foreign)}`);
  if (JSON.stringify(world.effects()) !== effects) problems.push('resuming again had effects');
  return [...problems, ...(await audit(world, ledger, 'ended'))];
}

/** Everything that was printed as having happened is in the journal, at its place (G1, G2). */
function missingEvents(events: readonly StoredEvent[], { printed }: Ledger): readonly string[] {
  return [...printed]
    .filter(([seq, event]) => {
      const kept = events[seq - 1];
      return kept === undefined || plain(kept.event) !== event;
    })
    .map(([seq, event]) => `printed and not kept: record ${seq}, ${event.slice(0, 200)}`);
}

function plain(event: object): string {
  const json: unknown = JSON.parse(JSON.stringify(event));
  return isJsonObject(json) ? canonicalJson(json) : '';
}

/** A crash makes nothing foreign and loses no record that was here: nothing is taken over (G36). */
function falseAlarms(events: readonly StoredEvent[]): readonly string[] {
  return events
    .filter(({ event }) => event.type === 'approvals-voided')
    .map(({ seq }) => `taken for foreign or lost: what was before record ${seq}`);
}

/** Every answer that another process confirmed is in the journal, or waits beside it (G1). */
function missingAnswers(events: readonly StoredEvent[], { posted }: Ledger): readonly string[] {
  const ended = events.some(({ event }) => event.type === 'run-ended');
  if (!ended) return [];
  const resolved = new Set<string>(
    events.flatMap(({ event }) => (event.type === 'interrupt-resolved' ? [event.id] : [])),
  );
  return [...posted]
    .filter((interrupt) => !resolved.has(interrupt))
    .map((interrupt) => `confirmed and not used: the posted answer to ${interrupt}`);
}

/** Effects happen after their intent and their approval, and again only where a person said so (G9 to G11). */
function wrongEffects(world: KillWorld, events: readonly StoredEvent[]): readonly string[] {
  const wrong: string[] = [];
  const counts = new Map<string, number>();
  for (const effect of world.effects()) {
    const ref = refOf(effect);
    counts.set(ref, (counts.get(ref) ?? 0) + 1);
    const intents = events.filter(
      ({ event }) =>
        event.type === 'tool-started' &&
        event.ref === ref &&
        (effect.name === 'run_command' || event.idempotencyKey === effect.key),
    );
    if (effect.name.startsWith('unsaved')) wrong.push(`a tool began after a failure to save: ${ref}`);
    if (intents.length === 0) wrong.push(`an effect without an intent: ${ref}`);
    if (/(?:pay|run_command)$/u.test(effect.name) && !isApproved(ref, effect.amount, events))
      wrong.push(`an effect that nobody approved: ${ref}, ${effect.amount}`);
  }
  for (const [ref, count] of counts) {
    if (ref !== 'stamped' && count > 1 + retriesOf(ref, events))
      wrong.push(`${count} effects of ${ref}, told ${retriesOf(ref, events)} times`);
  }
  return wrong;
}

function isApproved(ref: string, amount: number, events: readonly StoredEvent[]): boolean {
  const asked = new Map<string, number>();
  for (const { event } of events) {
    if (event.type === 'interrupt-raised' && event.interrupt.kind === 'confirmation') {
      const { source } = event.interrupt;
      if (source.type === 'tool' && source.ref === ref) asked.set(event.interrupt.id, amountOf(source.input));
    }
    if (event.type !== 'interrupt-resolved' || event.resolution.action !== 'restart') continue;
    const shown = asked.get(event.id);
    if (shown !== undefined && amountOf(event.resolution.input ?? { amount: shown }) === amount) return true;
  }
  return false;
}

/** What a call would do: its amount, which the line that a command prints tells too. */
function amountOf(input: unknown): number {
  if (typeof input !== 'object' || input === null) return NaN;
  if ('amount' in input) return Number(input.amount);
  return 'command' in input ? Number(/"amount":(\d+)/u.exec(String(input.command))?.[1]) : NaN;
}

/** How often a person was told that the outcome of a call is unknown, and said to run it again. */
export function retriesOf(ref: string, events: readonly StoredEvent[]): number {
  const told = new Set<string>();
  let retries = 0;
  for (const { event } of events) {
    if (event.type === 'interrupt-raised' && event.interrupt.kind === 'in-doubt') {
      const { source, id } = event.interrupt;
      if (source.type === 'tool' && source.ref === ref) told.add(id);
    }
    if (event.type === 'interrupt-resolved' && told.has(event.id) && event.resolution.action === 'retry')
      retries += 1;
  }
  return retries;
}

/** The history is one that a model takes (G19); opening it finds no damage (G3, G4). */
async function invalidHistory(world: KillWorld, id: string): Promise<readonly string[]> {
  if (!isSessionId(id)) return [];
  try {
    await using session = await world.place.store.open(id, 'read');
    if (session.state.view.length === 0) return []; // nothing was said yet, and nothing is sent
    return checkMessages(session.state.view).map(({ at, message }) => `message ${at}: ${message}`);
  } catch (error) {
    return [`it cannot be opened: ${String(error)}`];
  }
}

/** Folder 0700, files 0600 (G32). */
function looseModes(folder: string): readonly string[] {
  const entries = ['.', ...readdirSync(folder)];
  return entries
    .map((name) => ({ name, stats: lstatSync(path.join(folder, name)) }))
    .filter(({ stats }) => (stats.mode & 0o777) !== (stats.isDirectory() ? 0o700 : 0o600))
    .map(({ name, stats }) => `mode ${(stats.mode & 0o777).toString(8)} of ${name}`);
}

/** A session that ended has all effects, each once, and one message of the user. */
function unfinished(world: KillWorld, events: readonly StoredEvent[]): readonly string[] {
  const wrong: string[] = [];
  const ends = events.filter(({ event }) => event.type === 'run-ended');
  if (
    ends.length !== 1 ||
    ends.some(({ event }) => event.type === 'run-ended' && event.reason.type !== 'done')
  )
    wrong.push(`ended ${ends.length} times: ${JSON.stringify(ends.map(({ event }) => event))}`);
  const said = events.filter(({ event }) => event.type === 'message-added' && event.message.role === 'user');
  if (said.length !== 1) wrong.push(`${said.length} messages of the user`);
  const done = new Map(world.effects().map((effect) => [refOf(effect), effect.amount]));
  const sorted = [...done].sort(([one], [other]) => (one < other ? -1 : 1));
  if (JSON.stringify(sorted) !== JSON.stringify([...EXPECTED_EFFECTS]))
    wrong.push(`effects ${JSON.stringify(sorted)}`);
  return wrong;
}
