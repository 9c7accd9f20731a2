import type { AskResult, HumanChannel, RunState, Shown } from '../../src/core/index.js';
import { count, isQuestion, nextTimer, shown } from '../../src/core/index.js';
import { formatDuration, formatUntil } from '../../src/render/index.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';

/** The time between two looks at the clock, in milliseconds. */
const SECOND_MS = 1_000;

/**
 * A channel behind which nobody sits, and that does not give up: it waits for an answer from elsewhere, and for the
 * time. On a terminal the row counts down; elsewhere one line says what is waited for.
 */
export function patient(io: Io): HumanChannel {
  return {
    async ask(open, state, signal): Promise<AskResult> {
      const { stderr, clock } = io;
      const asked = open.filter(isQuestion).length;
      const words = (): Shown =>
        shown`${asked === 0 ? shown`sleeping` : shown`waiting for ${count(asked, 'answer')}`}${untilWords(state, clock.now())}`;
      if (!stderr.isTTY) tell(stderr, words());
      while (!signal.aborted) {
        if (stderr.isTTY) stderr.write(shown`\r\u001B[K${words()}`);
        await clock.sleep(SECOND_MS, signal).catch(() => undefined); // the signal says so above
      }
      if (stderr.isTTY) stderr.write(shown`\r\u001B[K`);
      return { type: 'left-open', why: 'stopped' };
    },
  };
}

/** ` until 09:00, in 1 min 59 s` */
function untilWords(state: RunState, now: number): Shown {
  const timer = nextTimer(state);
  if (timer === undefined) return shown``;
  const left = Math.max(0, Math.ceil((timer.at - now) / SECOND_MS) * SECOND_MS);
  return shown` until ${formatUntil(new Date(timer.at).toISOString(), now)}, in ${formatDuration(left)}`;
}
