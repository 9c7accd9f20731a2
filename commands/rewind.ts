import { randomBytes } from 'node:crypto';
import type { Session, SessionId } from '../src/core/index.js';
import { HitlError, shown } from '../src/core/index.js';
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
import { lastingEffects, lastingLines } from './report/lasting-effects.js';
import { voidedLines, voidedRules } from './report/voided-rules.js';
import { openStore } from './store/store.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { personHere, printJson, tell } from './host/index.js';

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
}

/** `hitl rewind`: goes back inside a session, and asks that point's questions again. */
export async function rewind(io: Io, given: string, flags: RewindFlags): Promise<number> {
  const store = openStore(io, flags);
  const id = await store.resolve(given);
  await using session = await store.open(id, 'write');
  const { graph } = session.state;
  if (graph === undefined) return await rewindChat(io, flags, session);
  const back = await goingBack(session, flags.to);
  const { rules } = session.state;
  await session.append([rewoundEvent(back, { by: personHere(io, 'terminal') })]);
  await session.saveTranscript?.();
  const voided = voidedRules(rules, session.state.rules);
  told(io, flags, { session: id, to: back.name, effects: back.tools, own: back.own, voided });
  return 0;
}

/** Rewinds a chat to an event of its journal. */
async function rewindChat(io: Io, flags: RewindFlags, session: Session): Promise<number> {
  const { id } = session;
  const seq = Number(flags.to);
  const events = await eventsOf(session);
  if (!Number.isInteger(seq) || seq < 1 || seq > (events.at(-1)?.seq ?? 0)) {
    throw new HitlError('USAGE', `session ${id} is a chat and has no event \`${flags.to}\``, {
      hint: `hitl show ${id} --events lists its events`,
    });
  }
  const { keep, effects } = chatBack(events, seq);
  const { rules } = session.state;
  await session.append([{ type: 'history-rewound', keep }]);
  await session.saveTranscript?.();
  told(io, flags, { session: id, to: seq, effects, voided: voidedRules(rules, session.state.rules) });
  return 0;
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
  } & Record<string, unknown>,
): void {
  const { session, effects, own, voided = [] } = result;
  if (flags.json === true) printJson(io, { ...result, effects: lastingEffects(effects) });
  else io.stdout.write(shown`${session}\n`);
  if (flags.quiet === true) return;
  if (flags.json !== true)
    for (const line of [...lastingLines(effects, own), ...voidedLines(voided)]) tell(io.stderr, line);
  tell(io.stderr, shown`hint: hitl resume ${session}`);
}
