import type { HumanChannel, Interrupt, RunState } from '../../src/core/index.js';
import { HitlError, interruptId, isoTime, makeInterrupt, ROOT_PATH } from '../../src/core/index.js';
import type { AskedNow, AskPerson, Told } from '../../src/tools/mcp/index.js';

/** The user who can be asked while a session runs. */
export interface Present {
  readonly channel: HumanChannel;
  readonly state: () => RunState;
  readonly now: () => number;
  /** Hides animated output. */
  readonly pause: () => void;
}

/**
 * Asks the user the questions that servers with an older protocol ask during a call, one at a time. Each
 * question belongs to the running call and is withdrawn when the call ends. Questions that result from a
 * prompt chosen by the user are not journaled.
 */
export function askAtOnce({ channel, state, now, pause }: Present): AskPerson {
  let before: Promise<unknown> = Promise.resolve();
  let count = 0;
  const ofPrompt = ({ question: { payload, answerSchema }, asker }: AskedNow): Interrupt => {
    count += 1;
    return makeInterrupt(
      {
        kind: 'question',
        source: { type: 'node', nodeId: asker, visit: 1, phase: 'run' },
        payload,
        answerSchema,
        allowed: ['respond', 'cancel'],
      },
      { id: interruptId(`asked${count}`), path: ROOT_PATH, raisedAt: isoTime(now()) },
    );
  };
  const ask = async (asked: AskedNow, signal: AbortSignal): Promise<Told> => {
    pause();
    const interrupt = asked.keep === undefined ? ofPrompt(asked) : await asked.keep();
    const result = await channel.ask([interrupt], state(), signal);
    if (result.type === 'left-open') throw new HitlError('ABORTED', 'nobody answered');
    return result.answer;
  };
  return (asked, signal) => {
    const told = before.then(() => ask(asked, signal));
    before = told.catch(() => undefined); // told to whoever asked
    return told;
  };
}
