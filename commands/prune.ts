import type { KeptWhy, Pruned } from '../sessions/index.js';
import { pruneSessions } from '../sessions/index.js';
import type { SessionId, SessionSummary } from '../src/core/index.js';
import { count, durationText, escapeText, shown } from '../src/core/index.js';
import { sessionTable } from '../src/render/index.js';
import type { SessionFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { printJson, tell } from './host/index.js';
import { stdoutTable } from './screen/theme.js';
import { forgetTyped } from './store/session-words.js';
import { openStore } from './store/store.js';

interface PruneFlags extends SessionFlags {
  /** Milliseconds. */
  readonly olderThan: number;
  readonly keepOpen?: boolean;
  readonly yes?: boolean;
}

/** `hitl prune`: lists sessions that have not changed for a long time. With `--yes`, deletes them. */
export async function prune(io: Io, flags: PruneFlags): Promise<number> {
  const { olderThan, keepOpen = false, yes = false } = flags;
  const gone: SessionSummary[] = [];
  const kept = new Map<KeptWhy, number>();
  const before = io.clock.now() - olderThan;
  const store = openStore(io, flags);
  const forget = (id: SessionId): Promise<unknown> => forgetTyped(io, store, id);
  for await (const one of pruneSessions(store, { before, keepOpen, isDry: !yes, forget })) {
    if (one.result === 'kept') kept.set(one.why, (kept.get(one.why) ?? 0) + 1);
    else gone.push(one.session);
    if (flags.json === true) printJson(io, lineOf(one), 'line');
    else if (one.result === 'removed') io.stdout.write(shown`${one.session.id}  deleted\n`);
  }
  if (flags.json === true) return 0;
  if (!yes && gone.length > 0)
    io.stdout.write(sessionTable(gone, { ...stdoutTable(io, flags.color), now: io.clock.now() }));
  if (flags.quiet !== true) tellAll(io, flags, gone.length, kept);
  return 0;
}

function lineOf(one: Pruned) {
  const { id: session, title, status, updatedAt } = one.session;
  const why = one.result === 'kept' ? { why: one.why } : {};
  return { session, result: one.result, ...why, title, status, updatedAt };
}

const WHY = {
  asked: shown`open question`,
  'in-doubt': shown`in doubt`,
  'in-use': shown`in use`,
  timed: shown`waiting for a timer`,
  mail: shown`message queued`,
  open: shown`not finished`,
  unreadable: shown`unreadable (see hitl doctor)`,
  changed: shown`changed since it was listed`,
} as const satisfies Record<KeptWhy, unknown>;

function tellAll(
  io: Io,
  { olderThan, yes = false }: PruneFlags,
  gone: number,
  kept: ReadonlyMap<KeptWhy, number>,
): void {
  const age = shown`older than ${escapeText(durationText(olderThan))}`;
  if (gone === 0) tell(io.stderr, shown`No sessions ${age} to delete`);
  else if (yes) tell(io.stderr, shown`Deleted ${count(gone, 'session')} ${age}`);
  else tell(io.stderr, shown`${count(gone, 'session')} ${age}; not deleted`);
  for (const [why, times] of kept) tell(io.stderr, shown`kept ${times}: ${WHY[why]}`);
  if (!yes && gone > 0) tell(io.stderr, shown`hint: add --yes to delete them`);
}
