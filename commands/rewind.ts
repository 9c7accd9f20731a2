import { randomBytes } from 'node:crypto';
import type { Actor, Session, SessionEvent, SessionId, Shown, StoredEvent } from '../src/core/index.js';
import { HitlError, present, shown } from '../src/core/index.js';
import type { OwnEffect, ToolEffect } from '../src/repl/index.js';
import {
  chatBack,
  effectsOf,
  eventsOf,
  forkSession,
  goingBack,
  ownEffectsOf,
  rewoundEvent,
} from '../src/repl/index.js';
import { newSessionId } from '../sessions/index.js';
import type { FileResult, FilesPlan } from './back/files.js';
import { noCopies, planFiles } from './back/files.js';
import type { Position } from './back/go-back.js';
import { goBack } from './back/go-back.js';
import type { Back } from './back/offer.js';
import { chooseBack, offersFiles, planJson, planLines, resultJson } from './back/offer.js';
import { lastingEffects, lastingLines } from './report/lasting-effects.js';
import { voidedLines } from './report/voided-rules.js';
import { openStore } from './store/store.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { isAskable, personHere, printJson, tell } from './host/index.js';
import { chooseHere } from './screen/confirm-here.js';

interface ForkFlags extends SessionFlags {
  readonly at?: number | string;
}

/** `hitl fork`: creates a session with the same history up to an event; the original is unchanged. */
export async function fork(io: Io, given: string, flags: ForkFlags): Promise<number> {
  const store = openStore(io, flags);
  const from = await store.resolve(given);
  const id = newSessionId(io.clock.now(), (size) => randomBytes(size));
  const { seq, rest } = await forkSession(store, from, {
    id,
    ...(flags.at !== undefined && { at: flags.at }),
  });
  told(io, flags, { session: id, from, seq, effects: effectsOf(rest), own: ownEffectsOf(rest) });
  return 0;
}

interface RewindFlags extends SessionFlags {
  readonly to: string;
  readonly files?: boolean;
  readonly conversation?: boolean;
  readonly overwrite?: boolean;
  readonly dryRun?: boolean;
}

/** A position to go back to, and its name. */
interface NamedPosition extends Position {
  readonly to: string | number;
  /** Number of the first event that is undone. */
  readonly since: number;
}

/**
 * `hitl rewind`: goes back to an earlier point in a session, asks the questions from that point again, and
 * restores files that calls have changed since then. Without a flag, it goes back only in the conversation
 * or, at a terminal, asks what to restore.
 */
export async function rewind(io: Io, given: string, flags: RewindFlags): Promise<number> {
  checkBackFlags(flags);
  const store = openStore(io, flags);
  const id = await store.resolve(given);
  await using session = await store.open(id, flags.dryRun === true ? 'read' : 'write');
  const events = await eventsOf(session);
  const by = personHere(io, 'terminal');
  const position =
    session.state.graph === undefined
      ? chatPosition(session, events, flags.to)
      : await flowPosition(session, flags.to, by);
  const place = { io, sessions: flags.sessions, store, session };
  const planned = (overwrite: boolean): Promise<FilesPlan> =>
    planFiles(place, events, { since: position.since, overwrite });
  const plan = await planned(flags.overwrite === true);
  if (flags.files === true && plan.folder === undefined) throw noCopies(session);
  if (flags.dryRun === true) {
    showPlan(io, flags, { id, position, plan });
    return 0;
  }
  const back = await chosenBack(io, flags, { position, plan });
  if (back === undefined) {
    tell(io.stderr, shown`Not changed`);
    return 0;
  }
  const append = (event: SessionEvent): Promise<void> => session.append([event]);
  const went = await goBack(place, position, { back, planned, plan, by, append });
  await session.saveTranscript?.();
  const { to, own } = position;
  const { results, remaining, voided, lines } = went;
  told(io, flags, {
    ...{ session: id, to, effects: remaining, ...present({ own }), voided, lines },
    ...(back.files && { conversation: back.conversation, files: resultJson(results) }),
  });
  return statusOf(results, back);
}

/** @throws HitlError USAGE for a flag that requires another one. */
function checkBackFlags({ files, overwrite, dryRun }: RewindFlags): void {
  if (overwrite !== true || files === true || dryRun === true) return;
  throw new HitlError('USAGE', '`--overwrite` requires `--files`');
}

/**
 * Returns the exit status. If a file that was to be restored was left alone, the command fails, unless the
 * user chose to leave the file alone. If a file could not be written, the status is that of a save failure.
 */
function statusOf(results: readonly FileResult[], { isChosen }: Back): number {
  if (results.some(({ what }) => what === 'failed')) return 6;
  return isChosen !== true && results.some(({ what }) => what === 'left') ? 2 : 0;
}

interface Asked {
  readonly position: NamedPosition;
  readonly plan: FilesPlan;
}

/**
 * Returns the parts to restore, selected by flags or by the user at the terminal. Returns `undefined` if
 * nothing is to be changed.
 */
async function chosenBack(io: Io, flags: RewindFlags, { position, plan }: Asked): Promise<Back | undefined> {
  const { files = false, conversation = false, overwrite = false } = flags;
  if (files || conversation) return { files, conversation: conversation || !files, overwrite };
  if (!isAskable(io, flags) || flags.json === true || flags.quiet === true || !offersFiles(plan))
    return { files: false, conversation: true, overwrite: false };
  const remaining = lastingLines(plan.remaining(position.effects), position.own);
  for (const line of [...planLines(plan), ...remaining]) tell(io.stderr, line);
  return chooseBack(plan, (question) => chooseHere(io, flags, question));
}

/** `--dry-run`: prints the plan to stdout. */
function showPlan(
  io: Io,
  flags: RewindFlags,
  { id, position, plan }: Asked & { readonly id: SessionId },
): void {
  const { to, own } = position;
  const effects = plan.remaining(position.effects);
  if (flags.json === true)
    printJson(io, {
      ...{ session: id, to, effects: lastingEffects(effects), ...present({ own }) },
      files: planJson(plan),
    });
  else for (const line of [...planLines(plan), ...lastingLines(effects, own)]) tell(io.stdout, line);
}

/** Returns the position of a node or operation in a workflow. */
async function flowPosition(session: Session, given: string, by: Actor): Promise<NamedPosition> {
  const back = await goingBack(session, given);
  const { name, seq, tools, own } = back;
  return { to: name, event: rewoundEvent(back, { by }), since: seq, effects: tools, own };
}

/** Returns the position of an event in a chat. */
function chatPosition({ id }: Session, events: readonly StoredEvent[], given: string): NamedPosition {
  const seq = Number(given);
  if (!Number.isInteger(seq) || seq < 1 || seq > (events.at(-1)?.seq ?? 0)) {
    throw new HitlError('USAGE', `session ${id} is a chat and has no event \`${given}\``, {
      hint: `hitl show ${id} --events lists its events`,
    });
  }
  const { keep, since, effects } = chatBack(events, seq);
  return { to: seq, event: { type: 'history-rewound', keep }, since, effects };
}

/** Reports the new position, the effects that are not undone, and how to continue. */
function told(
  io: Io,
  flags: SessionFlags,
  result: {
    readonly session: SessionId;
    readonly effects: readonly ToolEffect[];
    readonly own?: readonly OwnEffect[];
    /** Session rules that were revoked, as text. */
    readonly voided?: readonly string[];
    /**
     * Lines that report the outcome, without those that were already shown. Default: the effects that are not
     * undone.
     */
    readonly lines?: readonly Shown[];
  } & Record<string, unknown>,
): void {
  const { lines, ...facts } = result;
  const { session, effects, own, voided = [] } = facts;
  if (flags.json === true) printJson(io, { ...facts, effects: lastingEffects(effects) });
  else io.stdout.write(shown`${session}\n`);
  if (flags.quiet === true) return;
  if (flags.json !== true)
    for (const line of [...(lines ?? lastingLines(effects, own)), ...voidedLines(voided)])
      tell(io.stderr, line);
  tell(io.stderr, shown`hint: hitl resume ${session}`);
}
