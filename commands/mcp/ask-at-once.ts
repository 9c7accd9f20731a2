import type { HumanChannel, JsonValue, RunState } from '../../src/core/index.js';
import { HitlError, interruptId, isoTime, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';
import type { ServerQuestion } from '../../src/tools/mcp/index.js';

/** Those who are there while a session runs. */
export interface Present {
  readonly channel: HumanChannel;
  readonly state: () => RunState;
  readonly now: () => number;
  /** Takes what moves off the screen. */
  readonly pause: () => void;
}

/** A way to ask a person in the middle of a call. */
export type AskAtOnce = (
  question: ServerQuestion,
  /** The tool whose call runs, or the prompt that a person chose. */
  asker: string,
  signal: AbortSignal,
  kind?: 'tool' | 'prompt',
) => Promise<JsonValue | undefined>;

/**
 * Asks a person what an older server wants to know in the middle of a call, one question after the other. Such a question
 * is of the call that runs: it is in no journal, and is withdrawn with it.
 */
export function askAtOnce({ channel, state, now, pause }: Present): AskAtOnce {
  let before: Promise<unknown> = Promise.resolve();
  let count = 0;
  const ask: AskAtOnce = async ({ payload, answerSchema }, asker, signal, kind = 'tool') => {
    count += 1;
    const interrupt = makeInterrupt(
      {
        kind: 'question',
        source:
          kind === 'prompt'
            ? { type: 'node', nodeId: asker, visit: 1, phase: 'run' }
            : { type: 'tool', ref: toolRef(`asked-${count}`), name: asker, input: {}, raisedBy: 'tool' },
        payload,
        answerSchema,
      },
      { id: interruptId(`asked${count}`), path: ROOT_PATH, raisedAt: isoTime(now()) },
    );
    pause();
    const result = await channel.ask([interrupt], state(), signal);
    if (result.type === 'left-open') throw new HitlError('ABORTED', 'nobody answered');
    const { resolution } = result.answer;
    return resolution.action === 'respond' ? resolution.output : undefined;
  };
  return (question, asker, signal, kind) => {
    const asked = before.then(() => ask(question, asker, signal, kind));
    before = asked.catch(() => undefined); // told to whoever asked
    return asked;
  };
}
