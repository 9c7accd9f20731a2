import { describe, expect, test } from 'vitest';

import type { JsonValue, Message } from '../../src/core/index.js';
import { toolRef } from '../../src/core/index.js';
import type { ScriptedModel } from '../../src/models/index.js';
import { scriptedModel } from '../../src/models/index.js';
import { parseScript, scriptFileModel } from '../../src/models/script-file.js';
import { fakeClock } from '../../src/testing/index.js';
import { bankTools } from '../../commands/demo-agent/bank/bank-tools.js';

import { converse, eventsOf, never, replyOf, requestOf, text } from './converse.js';

const user = text('user', 'Hello');
const model = text('model', 'Hi');

function toolTurn(output: JsonValue, isError?: true): readonly Message[] {
  const ref = toolRef('c1');
  return [
    { role: 'model', content: [{ type: 'tool-request', ref, name: 'pay', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-response', ref, name: 'pay', output, ...(isError && { isError }) }],
    },
  ];
}

async function textFor(
  script: Omit<ScriptedModel, 'requests'>,
  ...messages: readonly Message[]
): Promise<string> {
  const { content } = await replyOf(script, requestOf(messages));
  return content.map((part) => (part.type === 'text' ? part.text : part.type)).join('');
}

describe('a scripted model', () => {
  test('streams text in words, then the size of tool inputs, then the reply', async () => {
    const script = scriptedModel([
      { text: 'One moment. ', tools: [{ name: 'pay', input: { amount: 5 } }, { name: 'look' }] },
    ]);
    expect(await eventsOf(script, requestOf([user]))).toEqual([
      { type: 'text-delta', text: 'One ' },
      { type: 'text-delta', text: 'moment. ' },
      { type: 'tool-input-delta', name: 'pay', characters: 12 },
      { type: 'tool-input-delta', name: 'look', characters: 2 },
      {
        type: 'reply',
        reply: {
          content: [
            { type: 'text', text: 'One moment. ' },
            { type: 'tool-request', ref: 'call-1-1', name: 'pay', input: { amount: 5 } },
            { type: 'tool-request', ref: 'call-1-2', name: 'look', input: {} },
          ],
          end: 'tool-use',
        },
      },
    ]);
  });

  test.for(['', ' ', 'a', ' a', 'a  b\n\nc ', '\n'])('streams every character of %j', async (words) => {
    const events = await eventsOf(scriptedModel([{ text: words }]), requestOf([user]));
    expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe(words);
  });

  test('answers by the number of replies that a request holds, in any process', async () => {
    const replies = ['first', 'second', 'third'];
    const script = scriptedModel(replies);
    expect(await textFor(script, user)).toBe('first');
    expect(await textFor(script, user, model, user)).toBe('second');
    expect(await textFor(scriptedModel(replies), user, model, user, model, user)).toBe('third');
  });

  test('gives the same reply again to the same request', async () => {
    const script = scriptedModel(['first', 'second']);
    expect(await textFor(script, user)).toBe('first');
    expect(await textFor(script, user)).toBe('first');
  });

  test('keeps refs, ends and usage as they are written', async () => {
    const usage = { inputTokens: 3, outputTokens: 4 };
    const script = scriptedModel([
      { tools: [{ name: 'pay', input: 0, ref: 'r' }], usage },
      { text: 'cut', end: 'length' },
    ]);
    expect(await replyOf(script, requestOf([user]))).toEqual({
      content: [{ type: 'tool-request', ref: 'r', name: 'pay', input: 0 }],
      end: 'tool-use',
      usage,
    });
    expect(await replyOf(script, requestOf([user, model, user]))).toEqual({
      content: [{ type: 'text', text: 'cut' }],
      end: 'length',
    });
  });

  test('waits before a reply', async () => {
    const clock = fakeClock({ auto: true });
    const before = clock.now();
    await textFor(scriptedModel([{ text: 'late', delayMs: 700 }], { clock }), user);
    expect(clock.now() - before).toBe(700);
  });

  test('stops waiting where the signal aborts', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const script = scriptedModel([{ text: 'late', delayMs: 700 }], { clock });
    const stream = script.generate(requestOf([user]), stop.signal)[Symbol.asyncIterator]();
    const next = stream.next();
    await clock.untilSleeping();
    stop.abort(new Error('stopped'));
    await expect(next).rejects.toThrow('stopped');
  });

  test('fails as a provider fails, after its text, and only once', async () => {
    const script = scriptedModel([
      { text: 'Well', error: { status: 529, type: 'overloaded_error', message: 'busy' } },
      'back',
    ]);
    const heard: unknown[] = [];
    const listen = async () => {
      for await (const event of script.generate(requestOf([user]), never)) heard.push(event);
    };
    await expect(listen()).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: 'busy',
      detail: { status: 529, type: 'overloaded_error' },
    });
    expect(heard).toEqual([{ type: 'text-delta', text: 'Well' }]);
    expect(await textFor(script, user)).toBe('back');
    script.assertAllUsed();
  });

  test('goes past an empty reply, which leaves no message', async () => {
    const script = scriptedModel(['', 'after']);
    expect(await replyOf(script, requestOf([user]))).toEqual({ content: [], end: 'stop' });
    expect(await textFor(script, user, user)).toBe('after');
  });

  test('refuses a request that no reply answers', async () => {
    await expect(textFor(scriptedModel(['only']), user, model, user)).rejects.toMatchObject({
      code: 'BAD_SCRIPT',
      message: 'no reply for request 2 of the session (role of the last message: `user`); the script has 1',
    });
  });

  test('answers another history by what that one holds', async () => {
    const script = scriptedModel(['first', 'second', 'third']);
    expect(await textFor(script, user, model, user)).toBe('second');
    expect(await textFor(script, user, user, text('user', 'Else'))).toBe('first');
    expect(await textFor(script, user, model, user, model, user)).toBe('third');
  });

  test('says which replies were not played', async () => {
    const script = scriptedModel(['a', 'b', 'c']);
    await textFor(script, user);
    expect(() => {
      script.assertAllUsed();
    }).toThrow('not played: reply 2, reply 3');
    await textFor(script, user, model, user, model, user);
    script.assertAllUsed();
  });

  test('counts what another process played as played', async () => {
    const script = scriptedModel(['a', { when: { user: 'special' }, text: 'x' }, 'b']);
    await textFor(script, user, model, text('user', 'special'), model, user);
    script.assertAllUsed();
  });

  test('remembers requests as they were', async () => {
    const script = scriptedModel(['a', 'b']);
    const request = requestOf([user], ['pay']);
    await replyOf(script, { ...request, system: 'Be kind' });
    expect(script.requests).toEqual([{ system: 'Be kind', messages: [user], tools: request.tools }]);
  });

  test.for<[string, Parameters<typeof scriptedModel>[0][number], string]>([
    ['a delay without a clock', { text: 'x', delayMs: 1 }, 'reply 1: `delayMs` needs a clock'],
    [
      'tools under another end',
      { tools: [{ name: 'a' }], end: 'length' },
      'reply 1: a reply that ends with `length` cannot have tool requests',
    ],
    ['a broken expression', { when: { user: '/(/' } }, '`/(/` is not a regular expression'],
    [
      'a broken expression for results',
      { when: { toolResult: { text: '/[/' } } },
      '`/[/` is not a regular expression',
    ],
  ])('refuses %s', ([, reply, message]) => {
    expect(() => scriptedModel([reply])).toThrow(expect.objectContaining({ code: 'BAD_SCRIPT', message }));
  });

  test('plays a whole session through the engine', async () => {
    const replies = [
      { text: 'Paying', tools: [{ name: 'transfer_money', input: { toAccount: 'A', amount: 5 } }] },
      'Paid',
      'Bye',
    ];
    const { replies: said } = await converse({
      said: ['pay', 'bye'],
      model: () => scriptedModel(replies),
      tools: bankTools({ clock: fakeClock() }),
    });
    expect(said).toEqual(['Paying', 'Paid', 'Bye']);
  });
});

describe('a scripted reply with a condition', () => {
  test('answers where the last user message fits, before any position', async () => {
    const script = scriptedModel(['plain', { when: { user: 'weather' }, text: 'sunny' }, 'plain too']);
    expect(await textFor(script, text('user', 'the weather?'))).toBe('sunny');
    expect(await textFor(script, text('user', 'the weather?'), model, user)).toBe('plain');
    expect(await textFor(script, text('user', 'the weather?'), model, user, model, user)).toBe('plain too');
  });

  test('does not answer a tool result because of what the user had said', async () => {
    const script = scriptedModel([{ when: { user: 'pay' }, text: 'pays' }, 'next']);
    expect(await textFor(script, text('user', 'pay'), ...toolTurn('ok'))).toBe('next');
  });

  test.for<[string, Parameters<typeof scriptedModel>[0][number], readonly Message[], string]>([
    ['text of a result', { when: { toolResult: 'paid' }, text: 'yes' }, toolTurn('paid 5'), 'yes'],
    ['JSON of a result', { when: { toolResult: '"paid":5' }, text: 'yes' }, toolTurn({ paid: 5 }), 'yes'],
    ['another result', { when: { toolResult: 'paid' }, text: 'yes' }, toolTurn('lost'), 'else'],
    ['an expression', { when: { toolResult: '/PAID \\d/i' }, text: 'yes' }, toolTurn('paid 5'), 'yes'],
    [
      'name and failure',
      { when: { toolResult: { tool: 'pay', isError: true } }, text: 'yes' },
      toolTurn('x', true),
      'yes',
    ],
    [
      'no failure',
      { when: { toolResult: { isError: false, text: 'x' } }, text: 'yes' },
      toolTurn('x', true),
      'else',
    ],
    ['another tool', { when: { toolResult: { tool: 'other' } }, text: 'yes' }, toolTurn('x'), 'else'],
    ['user and result', { when: { user: 'Hello', toolResult: 'x' }, text: 'yes' }, toolTurn('x'), 'yes'],
    [
      'another user and result',
      { when: { user: 'Bye', toolResult: 'x' }, text: 'yes' },
      toolTurn('x'),
      'else',
    ],
  ])('looks at %s', async ([, reply, turn, answer]) => {
    const script = scriptedModel(['first', reply, 'else']);
    expect(await textFor(script, user, ...turn)).toBe(answer);
  });

  test('matches the same with a sticky expression each time', async () => {
    const script = scriptedModel([{ when: { user: '/a/gy' }, text: 'yes' }]);
    expect(await textFor(script, text('user', 'a'))).toBe('yes');
    expect(await textFor(script, text('user', 'a'))).toBe('yes');
  });
});

describe('a script file', () => {
  test('has a reply on each line that is not blank', () => {
    const script = '\u{FEFF}{"text":"a"}\r\n\n  \n{"tools":[{"name":"t","input":null}],"when":{"user":"x"}}';
    expect(parseScript(script, 's.jsonl')).toEqual({
      replies: [{ text: 'a' }, { tools: [{ name: 't', input: null }], when: { user: 'x' } }],
      lines: [1, 4],
    });
  });

  test('plays as `script:<file>`, and names lines that were not played', async () => {
    const script = scriptFileModel('{"text":"a"}\n\n{"text":"b"}\n', 'demo/s.jsonl');
    expect(await textFor(script, user)).toBe('a');
    expect(script).toEqual({
      id: 'script:demo/s.jsonl',
      generate: expect.any(Function) as unknown, // and what it was asked is not kept: a server stays
      assertAllUsed: expect.any(Function) as unknown,
    });
    expect(() => {
      script.assertAllUsed();
    }).toThrow('not played: demo/s.jsonl:3');
  });

  test.for<[line: string, message: RegExp]>([
    ['{"text":', /^s:2: not JSON: /u],
    ['[]', /^s:2: .*expected object/u],
    ['{"txt":"a"}', /^s:2: Unrecognized key: "txt"/u],
    ['{"tools":[{"nam":"a"}]}', /^s:2: `tools\.0\.name`: .*`tools\.0`: Unrecognized key/u],
    ['{"delayMs":-1}', /^s:2: `delayMs`: /u],
    ['{"error":{"status":42,"message":"x"}}', /^s:2: `error\.status`: /u],
    ['{"end":"tired"}', /^s:2: `end`: /u],
    ['{"when":{}}', /^s:2: `when`: must specify `user` or `toolResult`/u],
    ['{"usage":{"inputTokens":1.5,"outputTokens":0}}', /^s:2: `usage\.inputTokens`: /u],
  ])('names file and line where a reply makes no sense: %s', ([line, message]) => {
    expect(() => parseScript(`{"text":"fine"}\n${line}\n`, 's')).toThrow(
      expect.objectContaining({ code: 'BAD_SCRIPT', message: expect.stringMatching(message) }),
    );
  });
});
