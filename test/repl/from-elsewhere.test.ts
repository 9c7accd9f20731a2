import { describe, expect, onTestFinished, test } from 'vitest';

import type {
  Actor,
  Answer,
  HumanChannel,
  Interrupt,
  PostedAnswers,
  Renderer,
} from '../../src/core/index.js';
import { converse } from '../../src/repl/index.js';
import { answerTo, calls, scene, tool } from '../engine/drive.js';
import { userSaid } from '../helpers/events.js';
import { temporaryStore } from '../sessions/temporary-store.js';

const BEN: Actor = {
  type: 'person',
  name: 'ben',
  via: 'answer',
  pid: 4711,
  parent: { pid: 4700, name: 'sh' },
  terminal: 'none',
  startedAt: '2026-01-02T03:04:05.000Z',
};
const SILENT: Renderer = {
  event: () => undefined,
  transient: () => undefined,
  notice: () => undefined,
  pause: () => undefined,
  stopped: () => undefined,
};

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

/** Answers from elsewhere, one after the other, to whatever is open. */
class Posted implements PostedAnswers {
  readonly refused: string[] = [];
  readonly #answers: Answer[] = [];
  #wake: () => void = () => undefined;
  #left = 0;
  #refusedAll: () => void = () => undefined;

  post(answer: Answer): void {
    this.#answers.push(answer);
    this.#wake();
  }

  /** Resolves when so many more were refused. */
  refusals(count: number): Promise<void> {
    this.#left = count;
    return new Promise((resolve) => {
      this.#refusedAll = resolve;
    });
  }

  take(): Promise<Answer | undefined> {
    return Promise.resolve(undefined);
  }

  async next(signal: AbortSignal): Promise<Answer> {
    const waiting = this.#answers.shift();
    if (waiting !== undefined) return waiting;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([woken, untilAborted(signal)]);
    return this.next(signal);
  }

  refuse(_answer: Answer, why: string): Promise<void> {
    this.refused.push(why);
    this.#left -= 1;
    if (this.#left === 0) this.#refusedAll();
    return Promise.resolve();
  }
}

/** A chat in which a command ran, with what its sandbox was, and a payment is asked about; what came of it. */
async function paying(
  sandbox: string,
  takes: (answer: Answer, stop: AbortController) => boolean,
  person: (asked: number, interrupt: Interrupt, posted: Posted) => Answer | Promise<Answer> | undefined,
) {
  const session = await temporaryStore().create({ agent: { model: 'script', tools: [] } });
  onTestFinished(() => session[Symbol.asyncDispose]());
  await session.append([userSaid('go')]);
  const run = scene({
    replies: [calls(['run']), calls(['pay', {}, 'r2']), 'done'],
    tools: [
      tool('run', () => 'ran', { approval: () => ({ facts: { sandbox } }) }),
      tool('pay', () => 'paid', { needsApproval: true }),
    ],
  });
  const posted = new Posted();
  const vetted: Answer[] = [];
  let asked = 0;
  const ask: HumanChannel['ask'] = async (open, _state, signal) => {
    const [interrupt] = open;
    if (interrupt?.source.type !== 'tool') throw new Error('nothing is asked');
    if (interrupt.source.name === 'run')
      return { type: 'answered', answer: answerTo(interrupt, { action: 'restart' }) };
    asked += 1;
    const answer = await person(asked, interrupt, posted);
    return answer === undefined ? untilAborted(signal) : { type: 'answered', answer };
  };
  const stop = new AbortController();
  const rest = await converse(
    {
      session,
      run,
      renderer: SILENT,
      posted,
      channel: { interactive: true, ask },
      takes: (answer) => {
        vetted.push(answer);
        return Promise.resolve(takes(answer, stop));
      },
    },
    stop.signal,
  );
  const by = session.state.resolved.toArray().at(-1)?.by;
  return { rest: rest.type, by, vetted: vetted.length, refused: posted.refused, asked };
}

const elsewhere = (interrupt: Interrupt): Answer => ({
  ...answerTo(interrupt, { action: 'restart' }),
  by: BEN,
});
const HERE: Actor = { type: 'person', name: 'ann', via: 'terminal' };
const here = (interrupt: Interrupt): Answer => ({
  ...answerTo(interrupt, { action: 'reject' }),
  by: HERE,
});

/** The person waits; somebody else answers. */
const left = (_asked: number, interrupt: Interrupt, posted: Posted): undefined => {
  posted.post(elsewhere(interrupt));
  return undefined;
};

describe('an answer from elsewhere', () => {
  test.for(['off', 'can write in this folder, no network'])(
    'is for the person here to take, whatever the session ran: sandbox %s (A8, H11)',
    async (sandbox) => {
      expect(await paying(sandbox, () => true, left)).toEqual({
        rest: 'ended',
        by: BEN,
        vetted: 1,
        refused: [],
        asked: 1,
      });
    },
  );

  test('that nobody took before the terminal was lost is not refused: it stays for who comes next (G26)', async () => {
    const lost = (_answer: Answer, stop: AbortController): boolean => {
      stop.abort();
      return false;
    };
    expect(await paying('off', lost, left)).toMatchObject({ rest: 'waiting', vetted: 1, refused: [] });
  });

  test('that the person did not take is refused, and no other one takes the question away', async () => {
    const person = (asked: number, interrupt: Interrupt, posted: Posted) => {
      if (asked === 1) {
        posted.post(elsewhere(interrupt));
        return undefined;
      }
      const refused = posted.refusals(2);
      posted.post(elsewhere(interrupt));
      posted.post(elsewhere(interrupt));
      return refused.then(() => here(interrupt));
    };
    expect(await paying('off', () => false, person)).toEqual({
      rest: 'ended',
      by: HERE,
      vetted: 1,
      refused: Array.from({ length: 3 }, () => 'the user at the session’s terminal did not accept it'),
      asked: 2,
    });
  });
});
