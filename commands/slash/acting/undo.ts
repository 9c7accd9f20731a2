import type { StoredEvent } from '../../../src/core/index.js';
import { emptyState, evolve } from '../../../src/core/index.js';
import { eventsOf, keep } from '../../../src/repl/index.js';
import { effectsOf, lastingLines } from '../../report/index.js';
import type { SlashContext, SlashHandler } from '../context.js';

/** `/undo`: takes the last turn of the user back, with everything behind it. */
export const undo: SlashHandler = (_argument, context, print) => takeBack('1', context, print);

/** `/rewind <turns>`: takes the last turns of the user back. */
export const rewind: SlashHandler = (turns, context, print) => takeBack(turns, context, print);

async function takeBack(
  given: string,
  { session, renderer }: SlashContext,
  print: (text: string) => void,
): Promise<undefined> {
  const turns = Number(given);
  const starts = session.state.entries
    .toArray()
    .flatMap(({ message }, index) => (message.role === 'user' ? [index] : []));
  if (starts.length === 0) {
    print('there is no turn to take back');
    return;
  }
  if (!Number.isInteger(turns) || turns < 1 || turns > starts.length) {
    print(`it takes a number of turns, at most ${starts.length}: /rewind 1`);
    return;
  }
  const first = starts[starts.length - turns] ?? 0;
  const events = await eventsOf(session);
  const since = recordOf(events, first);
  await keep([{ type: 'history-rewound', keep: first }], session, renderer);
  const effects = effectsOf(events.filter(({ seq }) => seq >= since));
  for (const line of lastingLines(effects)) print(line);
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
