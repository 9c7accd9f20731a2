import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isHitlError } from '../../src/core/index.js';
import { parseCondition } from '../../src/graph/expression/expression-parse.js';

/** The error of a condition that must be refused. */
function refusal(text: string): { code: string; message: string; hint: string | undefined } {
  try {
    parseCondition(text);
  } catch (thrown) {
    if (isHitlError(thrown)) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
    throw thrown;
  }
  throw new Error(`accepted: ${text}`);
}

describe('the parser of conditions', () => {
  test.for([
    ['state.x >', 'column 10: expected a value, got the end'],
    ['', 'column 1: expected a value, got the end'],
    ['state.x > 1 1', 'column 13: expected an operator or the end, got `1`'],
    ['(state.x', 'column 9: expected `)`, got the end'],
    ['state.', 'column 7: expected a property name, got the end'],
    ['state[1', 'column 8: expected `]`, got the end'],
    ['[1, 2', 'column 6: expected `,` or `]`, got the end'],
    ['min(1, )', 'column 8: expected a value, got `)`'],
    ["state.x == 'abc", "column 16: expected ' at the end"],
    ['"a\nb"', 'column 3: a quoted string must end on the same line'],
    ['"a\\qb"', 'column 3: `\\q` is not a valid escape'],
    ['1abc', 'column 2: expected an operator after the number `1`'],
    ['01', 'column 2: expected an operator after the number `0`'],
    ['1e999', 'column 1: the number `1e999` is too large'],
    ['{"a": 1}', 'column 1: `{` is not part of the condition language'],
    ['and', 'column 1: expected a value, got `and`'],
    ['"😀" #', 'column 5: `#` is not part of the condition language'],
    ['😀', 'column 1: `😀` is not part of the condition language'],
    ['1 < 2 < 3', 'column 7: comparisons cannot be chained'],
    ['len', 'column 4: expected `(` after the function `len`'],
    ['len(1, 2)', 'column 1: `len` takes 1 argument, got 2'],
    ['get("a")', 'column 1: `get` takes 2 arguments, got 1'],
    ['min()', 'column 1: `min` takes at least 1 argument, got 0'],
    ['foo > 1', 'column 1: unknown name `foo`'],
    ['process.env', 'column 1: unknown name `process`'],
    ['eval("1")', 'column 1: unknown function `eval`'],
    ['meta.iterations > 3', 'column 6: `meta` has no `iterations`'],
  ] as const)('refuses %j at %s', ([text, message]) => {
    expect(refusal(text)).toMatchObject({ code: 'BAD_GRAPH', message: expect.stringContaining(message) });
  });

  test.for([
    ['state.a && state.b', 'write `and`'],
    ['state.a || state.b', 'write `or`'],
    ['!state.a', 'write `not`'],
    ['state.a = 1', 'write `==`'],
    ['state.a === 1', 'write `==`'],
    ['state.a == True', 'write `true`'],
    ['None == state.a', 'write `null`'],
  ] as const)('tells who writes `%s` to %s', ([text, hint]) => {
    expect(refusal(text).hint).toBe(hint);
  });

  test.for([
    "state.constructor.constructor('return 1')",
    "state.constructor.constructor('return 1')()",
    'state.items.get("x")',
    'state["a"](1)',
    'state()',
    '"abc".lower()',
    '(len)(state.x)',
    'len(state)(1)',
    '1(2)',
    'constructor("x")',
    'toString()',
    '__proto__("x")',
  ])('case 7: refuses the call %s', (text) => {
    expect(refusal(text).code).toBe('BAD_GRAPH');
  });

  test.for([
    ['parentheses', (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`],
    ['lists', (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`],
    ['`not`', (depth: number) => `${'not '.repeat(depth)}1`],
    ['minus signs', (depth: number) => `${'-'.repeat(depth)}1`],
    ['calls', (depth: number) => `${'len('.repeat(depth)}"x"${')'.repeat(depth)}`],
    ['subscripts', (depth: number) => `${'state['.repeat(depth)}"x"${']'.repeat(depth)}`],
  ] as const)('case 8: refuses %s 40 deep, naming the limit, and accepts 32', ([, nested]) => {
    expect(refusal(nested(40)).message).toContain('more than 32 levels deep');
    expect(refusal(nested(33)).message).toContain('more than 32 levels deep');
    expect(parseCondition(nested(32)).text).toBe(nested(32));
  });

  test('C-5: names the limits of length and of size, and a long chain is not deep', () => {
    expect(refusal(`"${'x'.repeat(1999)}"`).message).toContain('more than 2000 characters, got 2001');
    expect(parseCondition(`"${'x'.repeat(1998)}"`).root.type).toBe('literal');
    expect(parseCondition(Array(128).fill('1').join('+')).root.type).toBe('binary');
    expect(parseCondition(Array(40).fill('(not [1])').join(' or ')).root.type).toBe('or');
    expect(refusal(Array(129).fill('1').join('+')).message).toContain(
      'more than 256 names, literals and operators',
    );
  });

  test('C-2: binds `or` loosest, then `and`, `not`, comparison, sum, product, sign and property', () => {
    const state = { type: 'root', name: 'state' };
    const literal = (value: unknown): unknown => ({ type: 'literal', value });
    expect(parseCondition('not 1 + 2 * -data.a == 3 and 4 or 5').root).toEqual({
      type: 'or',
      left: {
        type: 'and',
        left: {
          type: 'not',
          operand: {
            type: 'binary',
            operator: '==',
            left: {
              type: 'binary',
              operator: '+',
              left: literal(1),
              right: {
                type: 'binary',
                operator: '*',
                left: literal(2),
                right: { type: 'minus', operand: { type: 'read', from: state, key: literal('a') } },
              },
            },
            right: literal(3),
          },
        },
        right: literal(4),
      },
      right: literal(5),
    });
  });

  test('gives plain frozen data', () => {
    const condition = parseCondition('len(state.items[0]) in [1, 2]');
    expect(JSON.parse(JSON.stringify(condition))).toEqual(condition);
    expect(() => {
      Object.assign(condition.root, { operator: 'not in' });
    }).toThrow(TypeError);
  });

  test('throws nothing but its own error, whatever the text', () => {
    const pieces = fc.constantFrom(
      ...[
        'state',
        'data',
        'conditions',
        'meta',
        '.',
        'x',
        '[',
        ']',
        '(',
        ')',
        ',',
        'len',
        'get',
        'not',
        'in',
      ],
      ...[
        'and',
        'or',
        '==',
        '<',
        '-',
        '+',
        '*',
        '%',
        '1',
        '0.5',
        '1e9',
        '"a"',
        "'b'",
        '"',
        '\\',
        'null',
        ' ',
      ],
      ...['__proto__', 'constructor', '😀', '\ud800', '\n', '=', '!', '&&', 'true'],
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(pieces, { maxLength: 60 }).map((words) => words.join(' ')),
      fc.array(pieces, { maxLength: 60 }).map((words) => words.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseCondition(text);
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'HitlError', code: 'BAD_GRAPH' });
        }
      }),
      { numRuns: 2000 },
    );
  });
});
