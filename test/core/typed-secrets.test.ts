import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/core/index.js';
import {
  interruptId,
  mayHoldSecret,
  SECRET,
  SecretVault,
  shownChange,
  withoutSecrets,
} from '../../src/core/index.js';
import { secretPlaces } from '../../src/core/question/places.js';

const password = { type: 'string', format: 'password' };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe('the secrets of a value', () => {
  test.for<[string, JsonObject, JsonValue, readonly string[]]>([
    ['whole', password, 'a', ['']],
    ['write-only', { type: 'number', writeOnly: true }, 0, ['']],
    ['that nobody gave', object({ a: { anyOf: [password, { type: 'null' }] } }), { a: null }, []],
    ['by one of several schemas', { anyOf: [{ type: 'number' }, password] }, 'a', ['']],
    ['with a key like a path', object({ 'a/b~c': password }), { 'a/b~c': 'x' }, ['/a~1b~0c']],
    ['in a list', { items: object({ k: password }) }, [{ k: 'x' }, { n: 1 }, { k: 'y' }], ['/0/k', '/2/k']],
    ['at a place of a list', { prefixItems: [{}, password] }, ['a', 'b', 'c'], ['/1']],
    ['under any other key', object({ a: {} }, { additionalProperties: password }), { a: 1, b: 'x' }, ['/b']],
    ['under a key by pattern', { patternProperties: { '^x': password } }, { y: 'x' }, ['/y']],
    [
      'in a schema of a name',
      { $defs: { p: password }, properties: { a: { $ref: '#/$defs/p' } } },
      { a: 'x' },
      ['/a'],
    ],
    ['in a circle', { $ref: '#', allOf: [object({ a: password })] }, { a: 'x' }, ['/a']],
    ['in a secret', { ...object({ a: password }), writeOnly: true }, { a: 'x' }, ['']],
    ['of nobody', object({ a: { type: 'string' } }), { a: 'x', constructor: 'y' }, []],
  ])('%s are found', ([, schema, value, places]) => {
    expect(secretPlaces(value, schema)).toEqual(places);
  });

  test('are masked, and nothing else is', () => {
    const schema = object({ list: { items: password }, name: { type: 'string' } });
    expect(withoutSecrets({ list: ['a', 'b'], name: 'ann' }, schema)).toEqual({
      list: [SECRET, SECRET],
      name: 'ann',
    });
    expect([mayHoldSecret(schema), mayHoldSecret(object({ a: { type: 'string' } }))]).toEqual([true, false]);
  });

  test('are told as changed in an edit, and not what they are', () => {
    const schema = object({ a: password, b: password, c: {} });
    expect(shownChange({ a: 'x', b: 'y', c: 1 }, { a: 'x', b: 'z', c: 2 }, schema)).toEqual([
      { a: SECRET, b: SECRET, c: 1 },
      { a: SECRET, b: `${SECRET} (typed)`, c: 2 },
    ]);
  });
});

describe('a vault', () => {
  const vault = new SecretVault();
  vault.keep(interruptId('i1'), '/metadata/token', 'hunter2"x');
  vault.keep(interruptId('i1'), '/metadata/pin', 7);
  const of = { interrupt: interruptId('i1'), of: 'metadata', at: ['/token', '/pin'] } as const;

  test('gives a secret for its question and place, and for no other', () => {
    const masked = { token: SECRET, pin: SECRET, other: SECRET };
    expect(vault.reveal(masked, of)).toEqual({ token: 'hunter2"x', pin: 7, other: SECRET });
    expect(vault.reveal(masked, { ...of, interrupt: interruptId('i2') })).toBeUndefined();
    expect(vault.reveal({ token: SECRET }, of)).toBeUndefined();
    expect(vault.missing({ ...of, of: 'input' })).toEqual(['/token', '/pin']);
  });

  test.for<[JsonValue, JsonValue]>([
    ['say hunter2"x', `say ${SECRET}`],
    [{ 'hunter2"x': ['{"a":"hunter2\\"x"}'] }, { [SECRET]: [`{"a":"${SECRET}"}`] }],
    ['?q=hunter2%22x', `?q=${SECRET}`],
    [Buffer.from('hunter2"x').toString('base64'), SECRET],
    [
      [7, '7', 17, 'a7'],
      [7, '7', 17, 'a7'],
    ],
    [null, null],
  ])('masks what it knows: %j', ([said, shown]) => {
    expect(vault.mask(said)).toEqual(shown);
  });

  test('says nothing of itself as JSON', () => {
    expect(JSON.stringify(vault)).toBe('{}');
  });
});
