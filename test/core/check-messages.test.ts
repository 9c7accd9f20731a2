import { describe, expect, test } from 'vitest';

import type { Message, Part } from '../../src/core/index.js';
import { checkMessages, textPart, toolRef } from '../../src/core/index.js';

const user = (...content: Part[]): Message => ({ role: 'user', content });
const model = (...content: Part[]): Message => ({ role: 'model', content });
const tool = (...content: Part[]): Message => ({ role: 'tool', content });
const hello = user(textPart('hello'));

function request(ref: string, name = 'pay'): Part {
  return { type: 'tool-request', ref: toolRef(ref), name, input: {} };
}

function response(ref: string, name = 'pay'): Part {
  return { type: 'tool-response', ref: toolRef(ref), name, output: 'done' };
}

function problemsOf(...messages: Message[]): string[] {
  return checkMessages(messages).map(({ at, message }) => `${at}: ${message}`);
}

describe('the message checker (G19)', () => {
  test('finds nothing in a history with parallel calls, an error and a new turn', () => {
    expect(
      problemsOf(
        { role: 'system', content: [textPart('be kind')] },
        hello,
        model(textPart('both'), request('a'), request('b')),
        tool(response('a'), response('b')),
        model(textPart('done')),
        user(textPart('again')),
      ),
    ).toEqual([]);
  });

  test('accepts results in a user message, before its text', () => {
    expect(problemsOf(hello, model(request('a')), user(response('a'), textPart('and go on')))).toEqual([]);
  });

  test.for<[string, Message[], string[]]>([
    ['no message at all', [], ['0: there is no user message']],
    ['a model message first', [model(textPart('hi'))], ['0: the first message has role model, not user']],
    [
      'a late system message',
      [hello, { role: 'system', content: [textPart('x')] }],
      ['1: a system message appears after the conversation has started'],
    ],
    ['an empty message', [hello, model()], ['1: the message is empty']],
    ['a message of empty text', [user(textPart(''))], ['0: the message is empty']],
    ['a lone surrogate in text', [user(textPart('\ud83d'))], ['0: a string contains a lone surrogate']],
    [
      'a lone surrogate in a key of an input',
      [
        hello,
        model({ type: 'tool-request', ref: toolRef('a'), name: 'pay', input: { x: [{ '\ude00': 1 }] } }),
        tool(response('a')),
      ],
      ['1: a string contains a lone surrogate'],
    ],
    [
      'an unanswered request at the end',
      [hello, model(request('a'))],
      ['2: the tool request `a` has no response'],
    ],
    [
      'an unanswered request before a user message',
      [hello, model(request('a'), request('b')), tool(response('b')), user(textPart('x'))],
      ['2: the tool request `a` in the previous message is unanswered'],
    ],
    [
      'an orphan response',
      [hello, tool(response('z'))],
      ['1: the tool response `z` does not match an unanswered request in the previous message'],
    ],
    [
      'a response that comes one message late',
      [hello, model(request('a')), user(textPart('x')), tool(response('a'))],
      [
        '2: the tool request `a` in the previous message is unanswered',
        '3: the tool response `a` does not match an unanswered request in the previous message',
      ],
    ],
    [
      'two responses to one request',
      [hello, model(request('a')), tool(response('a'), response('a'))],
      ['2: the tool response `a` does not match an unanswered request in the previous message'],
    ],
    [
      'text before a result',
      [hello, model(request('a')), user(textPart('x'), response('a'))],
      ['2: the tool response `a` is not at the start of its message'],
    ],
    [
      'a response of another tool',
      [hello, model(request('a')), tool(response('a', 'refund'))],
      ['2: the tool response `a` is for `refund`, but the request is for `pay`'],
    ],
    [
      'a ref that is used twice',
      [hello, model(request('a')), tool(response('a')), model(request('a')), tool(response('a'))],
      ['3: the tool ref `a` is not unique'],
    ],
    [
      'a request without a ref and with an illegal name',
      [hello, model(request('', 'bank/pay')), tool(response('', 'bank/pay'))],
      ['1: a tool request has no ref', '1: `bank/pay` is not a valid tool name'],
    ],
    [
      'a request in a user message, a response in a model message',
      [user(request('a')), model(response('a'))],
      [
        '0: a message with role user contains the tool request `a`',
        '1: a message with role model contains the tool response `a`',
      ],
    ],
  ])('reports %s', ([, messages, problems]) => {
    expect(problemsOf(...messages)).toEqual(problems);
  });

  test('reports every problem of a damaged history, not the first one', () => {
    const damaged = [model(request('a', 'no good')), user(textPart(''))];

    expect(problemsOf(...damaged)).toEqual([
      '0: the first message has role model, not user',
      '0: `no good` is not a valid tool name',
      '1: the message is empty',
      '1: the tool request `a` in the previous message is unanswered',
    ]);
  });

  test('looks through data of any depth without overflow', () => {
    let data: Message['metadata'] | string = '\ud83d';
    for (let depth = 0; depth < 20_000; depth += 1) data = { deeper: data };

    expect(problemsOf(user({ type: 'data', data }))).toEqual(['0: a string contains a lone surrogate']);
  });
});
