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

/** `hitl fork`: creates a session with the same past up to an event; the original is unchanged. */
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

/** A position by its name. */
interface NamedPosition extends Position {
  readonly to: string | number;
  /** The first event that does not count any more. */
  readonly since: number;
}

/**
 * `hitl rewind`: goes back inside a session, and asks that point's questions again; brings back files that calls
 * changed since. Without a flag it goes back in the conversation, and at a terminal it asks.
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

/** @throws HitlError USAGE for flags that need another. */
function checkBackFlags({ files, overwrite, dryRun }: RewindFlags): void {
  if (overwrite !== true || files === true || dryRun === true) return;
  throw new HitlError('USAGE', '`--overwrite` requires `--files`');
}

/**
 * A file that was asked for and left is no success, unless the user chose to leave it; one that could not be written is a
 * failure to save.
 */
function statusOf(results: readonly FileResult[], { isChosen }: Back): number {
  if (results.some(({ what }) => what === 'failed')) return 6;
  return isChosen !== true && results.some(({ what }) => what === 'left') ? 2 : 0;
}

interface Asked {
  readonly position: NamedPosition;
  readonly plan: FilesPlan;
}

/** What the flags ask for, else the user at the terminal; `undefined`: nothing. */
async function chosenBack(io: Io, flags: RewindFlags, { position, plan }: Asked): Promise<Back | undefined> {
  const { files = false, conversation = false, overwrite = false } = flags;
  if (files || conversation) return { files, conversation: conversation || !files, overwrite };
  if (!isAskable(io, flags) || flags.json === true || flags.quiet === true || !offersFiles(plan))
    return { files: false, conversation: true, overwrite: false };
  const remaining = lastingLines(plan.remaining(position.effects), position.own);
  for (const line of [...planLines(plan), ...remaining]) tell(io.stderr, line);
  return chooseBack(plan, (question) => chooseHere(io, flags, question));
}

/** `--dry-run`: what would happen, on stdout. */
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

/** A node or operation of a workflow. */
async function flowPosition(session: Session, given: string, by: Actor): Promise<NamedPosition> {
  const back = await goingBack(session, given);
  const { name, seq, tools, own } = back;
  return { to: name, event: rewoundEvent(back, { by }), since: seq, effects: tools, own };
}

/** An event of a chat. */
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

/** Reports the new position, remaining effects, and how to continue. */
function told(
  io: Io,
  flags: SessionFlags,
  result: {
    readonly session: SessionId;
    readonly effects: readonly ToolEffect[];
    readonly own?: readonly OwnEffect[];
    /** Session rules that were revoked, as text. */
    readonly voided?: readonly string[];
    /** What happened, as far as it was not shown before. Default: the effects that remain. */
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
