import type { ActiveRun, Steps } from './active-run.js';
import type { Steering } from './steer.js';
import { turnEffects } from './steer.js';
import { userWords } from './user-words.js';

/**
 * Takes what was said to a run before its model is asked: the prompt that it came with, then what others have sent
 * . After `something` the next step is decided again.
 */
export async function* hear(run: ActiveRun): Steps<'nothing' | 'something' | 'cancel'> {
  const prompt = run.takePrompt();
  if (prompt !== undefined) {
    yield* run.tell([userWords(prompt)]);
    return 'something';
  }
  const { steering } = run.options;
  return steering === undefined ? 'nothing' : yield* takeSent(run, steering);
}

async function* takeSent(
  run: ActiveRun,
  { inbox, path, wants, notice }: Steering,
): Steps<'nothing' | 'something' | 'cancel'> {
  const { stop } = run;
  const options = wants === undefined ? {} : { wants };
  const taken = await inbox.take({ phase: 'turn', path }, stop.signal, options).catch((thrown: unknown) => {
    if (stop.aborted) return undefined;
    throw thrown;
  });
  if (taken === undefined) return 'something'; // the stop is seen before anything else is done
  try {
    for (const text of taken.notices) notice?.(text);
    if (taken.events.length === 0) return 'nothing';
    const interrupts = run.interrupts();
    const { events, isCancelled } = turnEffects(taken, (draft) => interrupts.make(draft));
    yield* run.tell([...taken.events, ...events]);
    return isCancelled ? 'cancel' : 'something';
  } finally {
    taken.release();
  }
}
