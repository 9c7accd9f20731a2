import type { HumanChannel, Interrupt, RunState } from '../../src/core/index.js';
import { HitlError, interruptId, isoTime, makeInterrupt, ROOT_PATH } from '../../src/core/index.js';
import type { AskedNow, AskPerson, Told } from '../../src/tools/mcp/index.js';

/** Those who are there while a session runs. */
export interface Present {
  readonly channel: HumanChannel;
  readonly state: () => RunState;
  readonly now: () => number;
  /** Takes what moves off the screen. */
  readonly pause: () => void;
}

/**
 * Asks a person what an older server wants to know in the middle of a call, one question after the other. Such a question
 * is of the call that runs, and is withdrawn with it; that of a prompt, which a person chose, is in no journal.
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
