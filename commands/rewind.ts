import { randomBytes } from 'node:crypto';
import type { SessionEvent, SessionId, StoredEvent } from '../src/core/index.js';
import { activationId, escapeText, HitlError, livePath, plainLine } from '../src/core/index.js';
import { newSessionId } from '../sessions/index.js';
import type { ToolEffect } from './effects.js';
import { effectsOf } from './effects.js';
import { eventsOf } from './events-of.js';
import type { Io } from './io.js';
import type { CommonFlags } from './options.js';
import { printJson } from './print-json.js';
import { openStore } from './store.js';

/** Columns of an effect in a line. */
const EFFECT_COLUMNS = 100;
/** Columns of a title. */
const TITLE_COLUMNS = 60;

interface ForkFlags extends CommonFlags {
  readonly at?: number;
}

/** `hitl fork`: a new session with the same past up to a record; the old one stays as it is. */
export async function fork(io: Io, [given]: readonly unknown[], flags: ForkFlags): Promise<number> {
  const store = openStore(io, flags);
  const from = store.resolveId(String(given));
  const { past, rest, agent, cwd, title } = await pastOf(io, flags, from);
  const id = newSessionId(io.clock.now(), (size) => randomBytes(size));
  const last = past.at(-1)?.seq ?? 0;
  await using session = await store.create({
    id,
    agent,
    parent: { kind: 'fork', session: from, seq: last },
    title: plainLine(title, TITLE_COLUMNS),
    ...(cwd !== undefined && { cwd }),
  });
  const events = past.map(({ event, scope }): SessionEvent => (scope === '' ? event : { ...event, scope }));
  if (events.length > 0) await session.append(events);
  await session.saveTranscript();
  tell(io, flags, { session: id, from, seq: last, effects: effectsOf(rest) });
  if (flags.quiet !== true) io.stderr.write(`hint: hitl resume ${id}\n`);
  return 0;
}

/** The events that a fork takes over, those that it leaves out, and what it begins with. */
async function pastOf(io: Io, { at, ...flags }: ForkFlags, from: SessionId) {
  const store = openStore(io, flags);
  await using session = await store.open(from, 'read');
  const { agent, cwd } = session.state;
  if (agent === undefined) throw new HitlError('USAGE', `session ${from} has not begun`);
  const all = await eventsOf(session);
  const lastSeq = all.at(-1)?.seq ?? 0;
  const until = at ?? lastSeq;
  if (until > lastSeq || until < 1) {
    throw new HitlError('USAGE', `session ${from} has records 1 to ${lastSeq}, not ${until}`, {
      hint: `hitl show ${from} --events`,
    });
  }
  const isOwn = ({ event }: StoredEvent): boolean =>
    event.type === 'session-created' || event.type === 'session-opened';
  return {
    past: all.filter((stored) => stored.seq <= until && !isOwn(stored)),
    rest: all.filter(({ seq }) => seq > until),
    agent,
    title: `fork of ${from}`,
    ...(cwd !== undefined && { cwd }),
  };
}

interface RewindFlags extends CommonFlags {
  readonly to: string;
}

/** `hitl rewind`: back inside a session that runs a workflow, to just before a node ran; it is asked and done again. */
export async function rewind(io: Io, [given]: readonly unknown[], flags: RewindFlags): Promise<number> {
  const store = openStore(io, flags);
  const id = store.resolveId(String(given));
  await using session = await store.open(id, 'write');
  const { graph } = session.state;
  if (graph === undefined) {
    throw new HitlError('USAGE', `session ${id} runs no workflow`, {
      hint: `a chat is taken back as a new session: hitl fork ${id} --at <record>; hitl show ${id} --events names them`,
    });
  }
  const live = livePath(graph);
  const target = live.findLast((one) => one.node === flags.to || activationId(one) === flags.to);
  if (target === undefined) {
    throw new HitlError('USAGE', `\`${flags.to}\` is not on the path`, {
      hint: `the path is: ${live.map(activationId).join(', ')}`,
    });
  }
  const events = await eventsOf(session);
  const entered = events.findLast(
    ({ event, scope }) =>
      scope === '' &&
      event.type === 'node-entered' &&
      event.node === target.node &&
      event.visit === target.visit,
  );
  const { node, visit } = target;
  await session.append([{ type: 'rewound', node, visit }]);
  await session.saveTranscript();
  const effects = effectsOf(events.filter(({ seq }) => seq > (entered?.seq ?? 0)));
  tell(io, flags, { session: id, to: activationId(target), effects });
  if (flags.quiet !== true) io.stderr.write(`hint: hitl resume ${id}\n`);
  return 0;
}

/** Going back undoes nothing outside: what tools did stays done, and is told. */
function tell(
  io: Io,
  flags: CommonFlags,
  result: { readonly session: SessionId; readonly effects: readonly ToolEffect[] } & Record<string, unknown>,
): void {
  const stays = result.effects.filter(({ effect }) => effect !== 'none');
  if (flags.json === true) printJson(io, { ...result, effects: stays });
  else io.stdout.write(`${result.session}\n`);
  if (flags.quiet === true || flags.json === true) return;
  if (stays.length > 0) io.stderr.write('what was done since stays done:\n');
  for (const { tool, input, outcome } of stays) {
    const line = plainLine(`${tool} ${JSON.stringify(input)} → ${outcome}`, EFFECT_COLUMNS);
    io.stderr.write(`  ${escapeText(line)}\n`);
  }
}
