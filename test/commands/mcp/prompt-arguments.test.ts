import { describe, expect, test } from 'vitest';

import { formOf, readArguments } from '../../../commands/mcp/prompt-arguments.js';

const named = (...names: string[]) => ({
  name: 'p',
  about: '',
  arguments: names.map((name) => ({ name, about: '', required: true })),
});

describe('the words behind a prompt', () => {
  test.for([
    [named('a', 'b'), '', {}],
    [named('a', 'b'), 'one two', { a: 'one', b: 'two' }],
    [named('a', 'b'), 'b=two one', { a: 'one', b: 'two' }],
    [named('a', 'b'), '"one two"', { a: 'one two' }],
    [named('a', 'b'), 'c=3', { a: 'c=3' }],
    [named('a'), 'what is "this', { a: 'what is "this' }],
    [named('a'), 'a="one two"', { a: 'one two' }],
  ] as const)('%o are read from %s', ([prompt, text, given]) => {
    expect(readArguments(prompt, text)).toEqual(given);
  });

  test('that are too many are refused', () => {
    expect(() => readArguments(named('a', 'b'), 'one two three')).toThrow('unexpected argument `three`');
    expect(() => readArguments(named(), 'one')).toThrow('unexpected argument `one`');
  });
});

test('a prompt that wants a secret asks for it in no form', () => {
  expect(() => formOf('shop', named('accessToken'), {})).toThrow(
    'secrets are never typed into a server’s form',
  );
});
