import type { Message, Shown, StoredEvent } from '../../src/core/index.js';
import { HitlError, emptyState, evolve, plainLine, shown } from '../../src/core/index.js';
import { effectsOf, eventsOf, keep } from '../../src/repl/index.js';
import { lastingLines } from '../report/lasting-effects.js';
import { voidedLines, voidedRules } from '../report/voided-rules.js';
import type { SlashContext, SlashHandler } from './context.js';

type Print = (text: Shown) => void;

/** A user message, and its index in the conversation. */
interface Turn {
  readonly place: number;
  readonly text: string;
}

/** Width of a listed message. */
const TEXT_COLUMNS = 400;
const NOTHING = shown`Nothing to undo`;

/** `/undo`: undoes the last user turn, with everything after it. */
export const undo: SlashHandler = async (_argument, context, print) => {
  const last = turnsOf(context).at(-1);
  if (last === undefined) print(NOTHING);
  else await takeBack(last, context, print);
};

/**
 * `/rewind`: goes back to before a message, and offers it for editing; with a number, that many.
 * @throws HitlError BAD_INPUT without a number if no one can choose.
 */
export const rewind: SlashHandler = async (given, context, print) => {
  if (given === '' && !context.mode.interactive)
    throw new HitlError('BAD_INPUT', '`/rewind` requires <turns>', { hint: 'type `/rewind <turns>`' });
  const turns = turnsOf(context);
  if (turns.length === 0) print(NOTHING);
  else if (given === '') await choose(turns, context, print);
  else {
    const count = Number(given);
    const turn = Number.isInteger(count) && count >= 1 ? turns.at(-count) : undefined;
    if (turn === undefined) print(shown`enter a number of turns, at most ${turns.length}: /rewind 1`);
    else await takeBack(turn, context, print);
  }
};

/** Offers the messages, newest first; only lists them if nothing can be drawn. */
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
    message: 'Go back to before which message?',
    rows: newest.map(({ text }) => plainLine(text, TEXT_COLUMNS)),
  };
  const chosen = await line.choose(question);
  const turn = chosen === undefined ? undefined : newest[chosen];
  if (turn === undefined) return;
  await takeBack(turn, context, print);
  line.write(turn.text);
}

function turnsOf({ session }: SlashContext): readonly Turn[] {
  return session.state.entries
    .toArray()
    .flatMap(({ message }, place) => (message.role === 'user' ? [{ place, text: typedText(message) }] : []));
}

/** Returns the text as typed, without attachments. */
function typedText({ content }: Message): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

async function takeBack({ place }: Turn, { session, renderer }: SlashContext, print: Print): Promise<void> {
  const events = await eventsOf(session);
  const since = recordOf(events, place);
  const { rules } = session.state;
  await keep([{ type: 'history-rewound', keep: place }], session, renderer);
  const effects = effectsOf(events.filter(({ seq }) => seq >= since));
  const voided = voidedLines(voidedRules(rules, session.state.rules));
  for (const line of [...lastingLines(effects), ...voided]) print(line);
}

/** Returns the last event that added the message at this index. */
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
