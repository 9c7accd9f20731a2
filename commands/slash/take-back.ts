import type { Message, SessionEvent, Shown, StoredEvent } from '../../src/core/index.js';
import { HitlError, emptyState, evolve, plainLine, shown } from '../../src/core/index.js';
import { effectsOf, eventsOf, keep } from '../../src/repl/index.js';
import type { FilesPlan } from '../back/files.js';
import { NO_FILES, noCopies, planFiles } from '../back/files.js';
import { goBack } from '../back/go-back.js';
import type { Back } from '../back/offer.js';
import { chooseBack, offersFiles, planLines } from '../back/offer.js';
import { personHere } from '../host/index.js';
import { lastingLines } from '../report/lasting-effects.js';
import { voidedLines } from '../report/voided-rules.js';
import type { SlashContext, SlashHandler } from './context.js';

type Print = (text: Shown) => void;

/** A user message and its index in the conversation. */
interface Turn {
  readonly place: number;
  readonly text: string;
}

/** Maximum width of a listed message, in columns. */
const TEXT_COLUMNS = 400;
const NOTHING = shown`Nothing to undo`;

const BACK_TO_WORDS: Back = { conversation: true, files: false, overwrite: false };

/** `/undo`: undoes the last user turn and everything after it. */
export const undo: SlashHandler = async (_argument, context, print) => {
  const last = turnsOf(context).at(-1);
  if (last === undefined) print(NOTHING);
  else await bringTurnBack(last, context, print, BACK_TO_WORDS);
};

/** What `/rewind` restores, by the word that the user enters after the number of turns. */
const BACK: ReadonlyMap<string, Back> = new Map([
  ['conversation', BACK_TO_WORDS],
  ['files', { conversation: false, files: true, overwrite: false }],
  ['both', { conversation: true, files: true, overwrite: false }],
]);

/**
 * `/rewind`: goes back to the point before a message, and puts the message into the input line for editing.
 * With a number, goes back that many turns. Offers to restore files that calls have changed since then.
 * @throws HitlError BAD_INPUT if the number is missing and no user can choose a message, USAGE if there are
 * no copies of the files.
 */
export const rewind: SlashHandler = async (given, context, print) => {
  if (given === '' && !context.mode.interactive)
    throw new HitlError('BAD_INPUT', '`/rewind` requires <turns>', { hint: 'type `/rewind <turns>`' });
  const turns = turnsOf(context);
  const [, number = '', what] = /^(\S*)(?:\s+(\S+))?$/u.exec(given) ?? [];
  const back = what === undefined ? undefined : BACK.get(what);
  if (turns.length === 0) print(NOTHING);
  else if (given === '') await choose(turns, context, print);
  else {
    const count = Number(number);
    const turn = Number.isInteger(count) && count >= 1 ? turns.at(-count) : undefined;
    if (turn === undefined) print(shown`enter a number of turns (maximum ${turns.length}): /rewind 1`);
    else if (what !== undefined && back === undefined)
      print(shown`enter what to restore: /rewind ${count} files, or /rewind ${count} both`);
    else await bringTurnBack(turn, context, print, back);
  }
};

/**
 * Lets the user choose a message, newest first. If the terminal does not support drawing, only lists the
 * messages.
 */
async function choose(turns: readonly Turn[], context: SlashContext, print: Print): Promise<void> {
  const { line } = context;
  const newest = turns.toReversed();
  if (line === undefined) {
    newest.forEach(({ text }, at) => {
      print(shown`${at + 1}  ${plainLine(text, TEXT_COLUMNS)}`);
    });
    print(shown`go back to before one of them: /rewind <number>`);
    return;
  }
  const question = {
    message: 'Rewind to before which message?',
    rows: newest.map(({ text }) => plainLine(text, TEXT_COLUMNS)),
  };
  const chosen = await line.choose(question);
  const turn = chosen === undefined ? undefined : newest[chosen];
  if (turn === undefined) return;
  const back = await bringTurnBack(turn, context, print);
  if (back?.conversation === true) line.write(turn.text);
}

/**
 * Goes back to the point before a turn. If files can be restored and the user has not specified what to
 * restore, asks first.
 */
async function bringTurnBack(
  turn: Turn,
  context: SlashContext,
  print: Print,
  given?: Back,
): Promise<Back | undefined> {
  const { io, flags, session, store, renderer, line } = context;
  const events = await eventsOf(session);
  const since = recordOf(events, turn.place);
  const effects = effectsOf(events.filter(({ seq }) => seq >= since));
  const place = { io, sessions: flags.sessions, store, session };
  const planned = (overwrite: boolean): Promise<FilesPlan> => planFiles(place, events, { since, overwrite });
  const plan = given?.files === false ? NO_FILES : await planned(false);
  if (given?.files === true && plan.folder === undefined) throw noCopies(session);
  let back = given ?? BACK_TO_WORDS;
  if (given === undefined && line !== undefined && offersFiles(plan)) {
    for (const row of [...planLines(plan), ...lastingLines(plan.remaining(effects))]) print(row);
    const chosen = await chooseBack(plan, (question) => line.choose(question));
    if (chosen === undefined) return undefined;
    back = chosen;
  }
  const append = (one: SessionEvent): Promise<void> => keep([one], session, renderer);
  const event = { type: 'history-rewound', keep: turn.place } as const;
  const going = { back, planned, plan, by: personHere(io, 'terminal'), append };
  const { lines, voided } = await goBack(place, { event, effects }, going);
  for (const row of [...lines, ...voidedLines(voided)]) print(row);
  return back;
}

function turnsOf({ session }: SlashContext): readonly Turn[] {
  return session.state.entries
    .toArray()
    .flatMap(({ message }, place) => (message.role === 'user' ? [{ place, text: typedText(message) }] : []));
}

/** Returns the text that the user typed, without attachments. */
function typedText({ content }: Message): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

/** Returns the sequence number of the last event that added the message at this index. */
function recordOf(events: readonly StoredEvent[], place: number): number {
  let state = emptyState();
  let found = 1;
  for (const { seq, event } of events) {
    const before = state.entries.length;
    state = evolve(state, event);
    if (before === place && state.entries.length > place) found = seq;
  }
  return found;
}
