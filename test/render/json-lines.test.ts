import { describe, expect, test } from 'vitest';

import { transcriptMessages } from '../../src/core/index.js';
import type { SessionId } from '../../src/core/index.js';
import { createJsonLinesRenderer, finalText, resultOf } from '../../src/render/index.js';
import {
  calls,
  confirmation,
  modelSays,
  outputs,
  raises,
  starts,
  stateOf,
  statesOf,
  story,
  transients,
  usage,
  userSays,
} from './story.js';

const session = 's1' as SessionId;

describe('stream-json', () => {
  test('is a line for each event as it happens: session, seq of durable ones, type', () => {
    const lines: unknown[] = [];
    const stdout = { write: (text: string) => lines.push([text.endsWith('\n'), JSON.parse(text)]) };
    const renderer = createJsonLinesRenderer({ stdout, session, now: () => 'now' });
    const states = statesOf(story);
    story.forEach((event, index) => {
      renderer.event(event, index + 1, states[index]!);
      expect(lines.at(-1)).toEqual([true, { session, seq: index + 1, at: 'now', ...event }]);
    });
    for (const event of transients) {
      renderer.transient(event);
      expect(lines.at(-1)).toEqual([true, { session, ...event }]);
    }
    renderer.notice('mended');
    expect(lines.at(-1)).toEqual([true, { session, type: 'notice', text: 'mended' }]);
    renderer.pause();
    renderer.stopped(states.at(-1)!);
    expect(lines).toHaveLength(story.length + transients.length + 1);
  });

  test('has no time where it is given no clock, and nothing raw', () => {
    let written = '';
    const renderer = createJsonLinesRenderer({ stdout: { write: (text) => (written += text) }, session });
    renderer.event(userSays('a\u009B2J\u202E\n'), 7, stateOf([]));
    expect(written).toBe(
      '{"session":"s1","seq":7,"type":"message-added","message":{"role":"user","content":[{"type":"text","text":"a\\u009b2J\\u202e\\n"}]}}\n',
    );
  });
});

describe('a result', () => {
  test('is the object of `json`, with what is open', () => {
    const asked = confirmation('i1', 'a', 'pay', { amount: 2 });
    const state = stateOf([
      userSays('x'),
      modelSays('On it.', calls('a', 'pay', { amount: 2 })),
      raises(asked),
    ]);
    const messages = transcriptMessages(state);
    const error = { code: 'MODEL_FAILED', message: 'no' };
    expect(resultOf({ session, state, status: 'interrupted', messages, error })).toEqual({
      session,
      status: 'interrupted',
      text: '',
      end: { reason: 'tool-use' },
      messages,
      interrupts: [asked],
      usage,
      costUsd: 0.0123,
      error,
      resume: 'hitl resume s1',
    });
  });

  test('has a cost of null where the price is not known', () => {
    const state = stateOf([userSays('x')]);
    expect(resultOf({ session, state, status: 'done', messages: [] }).costUsd).toBeNull();
  });
});

describe('the final text', () => {
  const called = [userSays('x'), modelSays('On it.', calls('a', 'finish', {})), starts('a', 'finish', {})];

  test('is that of the last message of the turn, where it called no tool', () => {
    const texts = [
      finalText(stateOf([userSays('x'), modelSays('One.')])),
      finalText(stateOf([userSays('x'), modelSays('One.'), userSays('y')])),
      finalText(stateOf(called)),
      finalText(stateOf([...called, outputs('a', 1)])),
      finalText(stateOf([])),
    ];
    expect(texts).toEqual(['One.', '', '', '', '']);
  });

  test.for([
    ['text', 'text'],
    [{ a: 1 }, '{"a":1}'],
    [null, 'null'],
    ['', ''],
  ])('is the output %j of the tool that ended the run', ([output, text]) => {
    const reason = { type: 'finished', output: output!, by: 'finish' } as const;
    expect(finalText(stateOf([...called, outputs('a', output!), { type: 'run-ended', reason }]))).toBe(text);
  });
});
