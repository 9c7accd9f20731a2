import type { RunLoop, Steps } from './run-loop.js';
import type { Steering } from './steer.js';
import { turnEffects } from './steer.js';

/** A safe point: what was sent takes effect here, or nothing does. */
export async function* steerRun(
  loop: RunLoop,
  { inbox, path, wants, notice }: Steering,
): Steps<'go-on' | 'again' | 'cancel'> {
  const { stop } = loop;
  const options = wants === undefined ? {} : { wants };
  const taken = await inbox.take({ phase: 'turn', path }, stop.signal, options).catch((thrown: unknown) => {
    if (stop.aborted) return undefined;
    throw thrown;
  });
  if (taken === undefined) return 'again'; // the run ends before anything else
  try {
    for (const text of taken.notices) notice?.(text);
    if (taken.events.length === 0) return 'go-on';
    const interrupts = loop.interrupts();
    const { events, isCancelled } = turnEffects(taken, (draft) => interrupts.make(draft));
    yield* loop.tell([...taken.events, ...events]);
    return isCancelled ? 'cancel' : 'again';
  } finally {
    taken.release();
  }
}
