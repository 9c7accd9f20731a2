import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { HumanChannel, Interrupt, Renderer, Resolution, RunInbox } from '../../src/core/index.js';
import { HitlError, messageWords, openInterrupts } from '../../src/core/index.js';
import { graph, runGraph, toolsAt } from '../../src/graph/index.js';
import { converse } from '../../src/repl/index.js';
import { answerTo, deferred, scene } from '../engine/drive.js';
import { ANN } from '../helpers/events.js';
import { temporaryStore } from '../sessions/temporary-store.js';

const RAISE: Resolution = { action: 'update-state', patch: { amount: 1000 } };

/** A session of a flow that asks, and everything that its person is told. */
async function asking(
  ask: (open: readonly Interrupt[], signal: AbortSignal) => ReturnType<HumanChannel['ask']>,
  heard: Partial<RunInbox> = {},
) {
  const store = temporaryStore();
  const session = await store.create({ agent: { model: 'script', tools: [] } });
  onTestFinished(() => session[Symbol.asyncDispose]());
  const notices: string[] = [];
  const renderer: Renderer = {
    event: () => undefined,
    transient: () => undefined,
    notice: (text) => void notices.push(text),
    pause: () => undefined,
    stopped: () => undefined,
  };
  const run = scene();
  const inbox = session.inbox();
  const flow = graph('pay')
    .human('review', { question: ({ amount = null }) => ({ prompt: 'Pay?', payload: { amount } }) })
    .end('review')
    .build();
  const options = { run, steering: { inbox }, start: { set: { amount: 10 } } };
  const conversed = converse(
    {
      session,
      run,
      renderer,
      inbox: withParts(inbox, heard),
      flow: {
        run: (state, signal) => runGraph(state, flow, options, signal),
        toolsAt: (path, state) => toolsAt(flow, state, path, run.tools),
      },
      channel: { interactive: true, ask: (open, _state, signal) => ask(open, signal) },
    },
    new AbortController().signal,
  );
  const mail = store.mail(session.id);
  const send = (text: string, action?: Resolution) =>
    mail.send({ text, from: ANN, ...(action && { action }) }, {}, AbortSignal.timeout(60_000));
  const pause = (reason: string) =>
    mail.control({ verb: 'pause', from: ANN, reason }, AbortSignal.timeout(60_000));
  return { conversed, notices, session, send, pause };
}

/** An inbox of which some parts are others. */
function withParts(inbox: RunInbox, { control }: Partial<RunInbox>): RunInbox {
  return {
    take: (...given) => inbox.take(...given),
    waiting: () => inbox.waiting(),
    arrived: (...given) => inbox.arrived(...given),
    control: control ?? ((...given) => inbox.control(...given)),
    end: (...given) => inbox.end(...given),
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

test('a pause that somebody asks for while a question is open is told at once, and the question is asked again', async () => {
  let count = 0;
  const first = deferred<undefined>();
  const { conversed, notices, pause } = await asking((_open, signal) => {
    count += 1;
    if (count === 2) return Promise.resolve({ type: 'left-open', why: 'nobody is here' });
    first.resolve(undefined);
    return untilAborted(signal);
  });
  await first.promise;
  await pause('lunch');
  expect(await conversed).toEqual({ type: 'waiting', why: 'nobody is here' });
  expect([count, notices]).toEqual([2, ['pause requested by ann: lunch (takes effect after your answer)']]);
});

describe('a message that comes while a question is open', () => {
  test('withdraws the question; what changes it is taken before it is asked again', async () => {
    const asked: unknown[] = [];
    const first = deferred<undefined>();
    const { conversed, notices, session, send } = await asking((open, signal) => {
      asked.push(open[0]?.payload);
      if (asked.length > 1 && open[0] !== undefined)
        return Promise.resolve({
          type: 'answered',
          answer: answerTo(open[0], { action: 'respond', output: 'yes' }),
        });
      first.resolve(undefined);
      return untilAborted(signal);
    });
    await first.promise;
    await send('more', RAISE);
    await conversed;
    expect(asked).toEqual([
      { question: 'Pay?', details: { amount: 10 } },
      { question: 'Pay?', details: { amount: 1000 }, changed: ['amount changed from 10 to 1000'] },
    ]);
    expect(session.state.graph?.state).toEqual({ amount: 1000, review: 'yes' });
    expect(notices).toEqual([]);
  });

  test('is shown with the question where it does not change it, and answers nothing', async () => {
    let count = 0;
    const first = deferred<undefined>();
    const { conversed, notices, session, send } = await asking((_open, signal) => {
      count += 1;
      if (count === 2) return Promise.resolve({ type: 'left-open', why: 'nobody is here' });
      first.resolve(undefined);
      return untilAborted(signal);
    });
    await first.promise;
    await send('go', { action: 'edit-output', value: 'yes' });
    expect(await conversed).toEqual({ type: 'waiting', why: 'nobody is here' });
    expect(notices).toEqual(['1 message waits: ann: edit output: yes']);
    expect(openInterrupts(session.state)).toMatchObject([{ kind: 'question' }]);
  });
});

test('an inbox that cannot be read is told at once, for nobody can cancel the run through it', async () => {
  const running = deferred<undefined>();
  const { conversed, notices } = await asking(() => running.promise.then(leftOpen), {
    control: () => Promise.reject(new HitlError('SESSION_UNREADABLE', 'the answers are a folder')),
  });
  await vi.waitFor(() => {
    expect(notices).toEqual(['this run can no longer be cancelled from elsewhere: the answers are a folder']);
  });
  running.resolve(undefined);
  expect(await conversed).toEqual({ type: 'waiting', why: 'nobody is here' });
});

test('a run that ends says nothing of who could have cancelled it', async () => {
  const { conversed, notices } = await asking(() => Promise.resolve(leftOpen()));
  await conversed;
  expect(notices).toEqual([]);
});

function leftOpen() {
  return { type: 'left-open', why: 'nobody is here' } as const;
}

test.for<readonly [Resolution | undefined, string]>([
  [undefined, '“words”'],
  [RAISE, 'change amount to 1000'],
  [{ action: 'goto', node: 'do' }, 'go to do'],
  [{ action: 'skip' }, 'skip'],
  [{ action: 'change-condition', patch: { fast: true } }, 'set the condition fast to true'],
  [
    { action: 'sequence', actions: [{ action: 'edit-input', value: 'all' }, { action: 'skip' }] },
    'edit input: all, then skip',
  ],
])('what waits is named in words: %j', ([action, words]) => {
  expect(messageWords({ text: 'words', ...(action && { action }) })).toBe(words);
});
