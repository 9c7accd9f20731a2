import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { configFrom } from '../../commands/config/config-file.js';
import { readDocument } from '../../commands/config/document.js';
import { withoutValue, withValue } from '../../commands/config/edit-document.js';
import type { JsonValue } from '../../src/core/index.js';

const FILE = `// mine
{
  "model": "demo", // the demo
  /* limits, { and [ */
  "maxTurns": 9, // few
  "rules": {
    "deny": [
      "run_command git push", // never
      "fetch_url"
    ]
  }
}
`;

describe('a configuration with comments', () => {
  test('is read, and tells the line of each key and item', () => {
    const { value, lineOf } = readDocument(FILE);
    expect(value).toEqual({
      model: 'demo',
      maxTurns: 9,
      rules: { deny: ['run_command git push', 'fetch_url'] },
    });
    const paths = [['model'], ['maxTurns'], ['rules', 'deny', 1], ['nothing'], ['rules', 'allow', 0]];
    expect(paths.map((path) => lineOf(path))).toEqual([3, 5, 9, 2, 6]);
  });

  test.for([
    ['{"a":1,\n"a":2}', 'line 2: duplicate key `a`'],
    ['{\n"a" 1}', /^unexpected token Number in line 2, column 5$/],
    ['{"a": §}', /^unexpected character '§' in line 1, column 7$/],
    ['', /^unexpected end of input in line 1, column 1$/],
    ['[Infinity]', 'line 1'],
    ['['.repeat(200_000), 'nested too deeply'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 'nested deeper than 64 levels'],
  ] as const)('is refused with the place of what is wrong: %#', ([text, why]) => {
    expect(() => readDocument(text)).toThrow(why);
  });

  test('is named with the file, and the keys are listed only where a key is wrong', () => {
    expect(() => configFrom('{"model": "demo"', 'c.json')).toThrow(
      expect.objectContaining({
        code: 'BAD_CONFIG',
        message: 'invalid configuration `c.json`: unexpected end of input in line 1, column 17',
        hint: 'check the JSON syntax (comments and trailing commas are allowed)',
      }),
    );
    expect(() => configFrom('{"modle": "demo"}', 'c.json')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('valid keys: model, ') as string }),
    );
  });

  test('has `__proto__` as a name like any other', () => {
    const { value } = readDocument('{"__proto__":{"model":"evil"}}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect((value as { model?: unknown }).model).toBeUndefined();
  });
});

describe('a change of a configuration', () => {
  test.for<[string, readonly (string | number)[], JsonValue, string, string]>([
    ['replaces a value', ['maxTurns'], 12, '"maxTurns": 9, // few', '"maxTurns": 12, // few'],
    [
      'adds a key behind the last',
      ['system'],
      'Be kind.',
      '    ]\n  }\n}\n',
      '    ]\n  },\n  "system": "Be kind."\n}\n',
    ],
    [
      'adds an item to a list',
      ['rules', 'deny', 2],
      'write_file',
      '      "fetch_url"\n',
      '      "fetch_url",\n      "write_file"\n',
    ],
  ])('%s, and leaves the rest as it is', (given) => {
    const [, path, value, before, after] = given;
    expect(withValue(FILE, path, value)).toBe(FILE.replace(before, after));
  });

  test.for<[string, readonly (string | number)[], string, string]>([
    ['a key', ['model'], '"model": "demo", // the demo', ' // the demo'],
    ['a last item', ['rules', 'deny', 1], ', // never\n      "fetch_url"', ' // never'],
  ])('takes out %s, and leaves the rest as it is', ([, path, before, after]) => {
    expect(withoutValue(FILE, path)).toBe(FILE.replace(before, after));
  });

  test('begins a file, and makes the objects on the way', () => {
    expect(withValue('', ['profiles', 'work', 'model'], 'demo')).toBe(
      '{\n  "profiles": {\n    "work": {\n      "model": "demo"\n    }\n  }\n}\n',
    );
    expect(withValue('{ "a": 1 }', ['b'], 2)).toBe('{ "a": 1, "b": 2 }');
    expect(() => withValue('{"model":"demo"}', ['model', 'x'], 1)).toThrow('neither an object nor a list');
  });

  test('says what it was told, whatever stands in the file', () => {
    const names = fc.constantFrom('a', 'b', '__proto__', 'c d', '"', '//', '{');
    const values = fc
      .jsonValue({ maxDepth: 2 })
      .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
    const files = fc.uniqueArray(fc.tuple(names, values), { selector: ([name]) => name });
    fc.assert(
      fc.property(files, names, values, fc.constantFrom(0, 2), (members, name, value, space) => {
        const text = JSON.stringify(Object.fromEntries(members), null, space).replace(
          '{',
          '{ // { "x": 1,\n',
        );
        const changed = withValue(text, [name], value);
        const told = new Map(Object.entries(readDocument(changed).value as object));
        expect(told).toEqual(new Map([...members, [name, value]]));
        expect(changed).toContain('// { "x": 1,');
        const without = Object.entries(readDocument(withoutValue(changed, [name])).value as object);
        expect(new Map(without)).toEqual(new Map(members.filter(([other]) => other !== name)));
      }),
    );
  });
});
