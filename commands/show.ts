import type { GraphFrame, Session, SessionId, SessionStore, Shown, StoredEvent } from '../src/core/index.js';
import {
  escapeText,
  HitlError,
  isQuestion,
  joined,
  openInterrupts,
  operationOf,
  operationTree,
  shown,
  timesOf,
  trimmed,
} from '../src/core/index.js';
import { commandBelow, questionView, renderQuestionWhole } from '../src/human/index.js';
import type { OwnEffect } from '../src/repl/index.js';
import { effectsOf, eventsOf, ownEffectsOf } from '../src/repl/index.js';
import { rowsWithin, waitWords, effectTree, transcriptText } from '../src/render/index.js';
import { transcriptDocument } from '../sessions/index.js';
import { printJson, tell } from './host/index.js';
import { stdoutTable } from './screen/theme.js';
import { effectsText } from './report/effects.js';
import { foreignLine } from './report/audit-findings.js';
import { standingLines } from './report/decisions.js';
import { unservedLines } from './report/unserved-lines.js';
import { atMost, namedSession } from './store/which-session.js';
import { openStore } from './store/store.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';

interface ShowFlags extends SessionFlags {
  readonly events?: boolean;
  readonly effects?: boolean;
  readonly full?: boolean;
  readonly last?: boolean;
}

/** Width in columns if the terminal's width is unknown. */
const COLUMNS = 100;

/** `hitl show`: shows a session's transcript, its events, or its tools' effects. */
export async function show(io: Io, given: string | undefined, flags: ShowFlags): Promise<number> {
  if (flags.events === true && flags.effects === true) {
    throw new HitlError('USAGE', '`--events` and `--effects` cannot be used together', {
      hint: 'use one of them',
    });
  }
  const store = openStore(io, flags);
  const { id, rest } = await namedSession(store, 'show', [given], flags);
  atMost(rest, 0);
  if (flags.events === true) return showEvents(io, store, id);
  await using session = await store.open(id, 'read');
  for (const notice of session.notices) tell(io.stderr, escapeText(notice));
  await tellForeign(io, store, session);
  if (flags.effects === true) {
    await showEffects(io, flags, session);
    return 0;
  }
  if (flags.json === true) printJson(io, transcriptDocument(session));
  else {
    const { theme, columns } = stdoutTable(io, flags.color);
    const text = transcriptText(
      session.state,
      { theme, columns: columns ?? COLUMNS },
      { ...(await storyOf(session)), ...(flags.full !== true && { whole: wholeCommand(id) }) },
    );
    io.stdout.write(shown`${rowsWithin(trimmed(text), columns)}\n`);
    for (const question of openQuestions(io, session))
      io.stdout.write(shown`\n${rowsWithin(question, columns)}\n`);
    const changes = listChanges(await eventsOf(session));
    if (changes.length > 0) io.stdout.write(shown`\n${rowsWithin(joined(changes), columns)}\n`);
    if (flags.quiet !== true) for (const line of await unservedLines(store, id)) tell(io.stderr, line);
  }
  return 0;
}

/** Returns the command that prints a session with its values in full. */
export function wholeCommand(id: SessionId): Shown {
  return shown`hitl show ${id} --full`;
}

/** Returns the details that are recorded only in the events: the status of approvals, and timestamps. */
async function storyOf(session: Session) {
  const events = await eventsOf(session);
  return { standings: standingLines(events), times: timesOf(events) };
}

async function showEffects(io: Io, flags: ShowFlags, session: Session): Promise<void> {
  const events = await eventsOf(session);
  const tools = effectsOf(events);
  const own = ownEffectsOf(events);
  if (flags.json === true) {
    printJson(
      io,
      [...tools, ...own].toSorted((one, other) => one.seq - other.seq),
    );
    return;
  }
  const { columns, theme } = stdoutTable(io, flags.color);
  const { graph, resolved } = session.state;
  const tree = graph && operationTree(graph, { resolved: resolved.toArray(), times: timesOf(events) });
  const rows = effectTree(tree?.roots ?? [], { theme, columns: columns ?? COLUMNS });
  io.stdout.write(rowsWithin(effectsText({ tools, past: own.filter(isPast(graph)), tree: rows }), columns));
}

/** Returns a predicate that matches operations that are no longer part of the run. */
function isPast(graph: GraphFrame | undefined): (effect: OwnEffect) => boolean {
  return ({ name, path }) =>
    path === undefined && name.includes('#') && graph?.current?.operations.get(name) === undefined;
}

/**
 * Formats every open question in full, followed by the command that answers it. The command includes the
 * question's digest.
 */
function openQuestions(io: Io, { id, state }: Session): readonly Shown[] {
  return openInterrupts(state).map((interrupt) => {
    if (!isQuestion(interrupt)) {
      const name = escapeText(operationOf(interrupt) ?? '');
      return shown`${name} ${waitWords(interrupt, io.clock.now())} [${interrupt.id}]`;
    }
    const view = questionView(interrupt, state, { limits: null, now: io.clock.now() });
    return shown`${renderQuestionWhole(view)}\n  ${commandBelow(id, view)}`;
  });
}

/** Lists the changes to server tools during the session, with the previous definitions. */
function listChanges(events: readonly StoredEvent[]): readonly Shown[] {
  return events.flatMap(({ seq, event }) =>
    event.type === 'agent-changed'
      ? (event.changed ?? []).map((line) => shown`tools changed (event ${seq}): ${escapeText(line)}`)
      : [],
  );
}

/** Reports which events were not written with the user's key. */
export async function tellForeign(io: Io, { capabilities }: SessionStore, session: Session): Promise<void> {
  const line = capabilities.signs === true ? foreignLine(await eventsOf(session)) : undefined;
  if (line !== undefined) tell(io.stderr, escapeText(line));
}

async function showEvents(io: Io, store: SessionStore, id: SessionId): Promise<number> {
  await using session = await store.open(id, 'read');
  for await (const stored of session.events()) printJson(io, stored, 'line');
  return 0;
}
