import { describe, expect, test } from 'vitest';

import { parseAnswersFile } from '../../src/human/index.js';

const YES = { match: { tool: 'transfer' }, answer: 'y' };

describe('an answers file', () => {
  test.for([
    ['a list', JSON.stringify([YES, YES], null, 2), ['a entry 1', 'a entry 2']],
    ['JSON lines', `${JSON.stringify(YES)}\n\n${JSON.stringify(YES)}`, ['a line 1', 'a line 3']],
    [
      'JSON lines with CRLF and a byte order mark',
      `\uFEFF${JSON.stringify(YES)}\r\n${JSON.stringify(YES)}\r\n`,
      ['a line 1', 'a line 2'],
    ],
    ['one entry', `\n${JSON.stringify(YES, null, 2)}`, ['a line 2']],
    ['an empty list', '[]', []],
    ['nothing', ' \n', []],
  ] as const)('may be %s', ([, text, places]) => {
    expect(parseAnswersFile(text, 'a').answers).toEqual(places.map((place) => ({ ...YES, times: 1, place })));
  });

  test('keeps everything that an entry says', () => {
    const entry = {
      match: { tool: 't', kind: 'error', interrupt: 'i1', session: '01k', input: { a: null }, nth: 2 },
      answer: { action: 'restart', input: 0 },
      times: 'any',
    };
    expect(parseAnswersFile(JSON.stringify(entry), 'a').answers).toEqual([{ ...entry, place: 'a line 1' }]);
  });

  test.for([0, '', false, null, []])('takes %j as an answer', (answer) => {
    expect(parseAnswersFile(JSON.stringify([{ match: {}, answer }]), 'a').answers).toEqual([
      { match: {}, answer, times: 1, place: 'a entry 1' },
    ]);
  });

  test.for([
    ['{"match":{},"answer":"y"}\n{"answer":\n', 'a line 2: invalid JSON'],
    ['[{"answer":"y"},]', 'a: invalid JSON'],
    ['{"match":{},"answer":"y"}\n{"match":{"tol":"x"},"answer":"y"}', 'a line 2: match: Unrecognized key'],
    ['[{"match":{"kind":"confirm"},"answer":"y"}]', 'a entry 1: match.kind'],
    ['[{"match":{}}]', 'a entry 1: answer'],
    ['{"answer":"y"}', 'a line 1: match: expected object, received undefined'],
    ['[{"match":{},"answer":"y","times":0}]', 'a entry 1: times'],
    ['[{"answer":"y","match":{"nth":0}}]', 'a entry 1: match.nth'],
    ['[{"match":{},"answer":{"action":"restrat"}}]', 'a entry 1: answer.action: unknown action "restrat"'],
    ['[{"answer":"y","answer":"n"}]', 'duplicate key'],
    ['"y"', 'a line 1'],
  ] as const)('is refused with the place of what is wrong: %j', ([text, message]) => {
    expect(() => parseAnswersFile(text, 'a')).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining(message) }),
    );
  });
});
