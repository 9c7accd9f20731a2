import type { Message, Shown, StoredEvent } from '../../src/core/index.js';
import { HitlError, emptyState, evolve, plainLine, shown } from '../../src/core/index.js';
import { effectsOf, eventsOf, keep } from '../../src/repl/index.js';
import { lastingLines } from '../report/lasting-effects.js';
import { voidedLines, voidedRules } from '../report/voided-rules.js';
import type { SlashContext, SlashHandler } from './context.js';

type Print = (text: Shown) => void;

/** A message of the user, and its place in the conversation. */
interface Turn {
  readonly place: number;
  readonly text: string;
}

/** The width of a message in the list of them. */
const TEXT_COLUMNS = 400;
const NOTHING = shown`Nothing to undo`;

/** `/undo`: takes the last turn of the user back, with everything behind it. */
export const undo: SlashHandler = async (_argument, context, print) => {
  const last = turnsOf(context).at(-1);
  if (last === undefined) print(NOTHING);
  else await takeBack(last, context, print);
};

/**
 * `/rewind`: goes back to before one of the messages, and gives it to be said in another way; with a number, that many.
 * @throws HitlError BAD_INPUT without a number where nobody can choose.
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

/** Shows the messages, newest first, to choose from; only lists them where nothing can be drawn. */
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

/** The words as they were typed: what was attached to them comes behind. */
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

/** The record that brought the message at this place of the conversation, the last time. */
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
