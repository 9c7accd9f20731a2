import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/core/index.js';
import { needsWrapping, toObjectSchema, unwrapInput, wrapInput } from '../../src/models/scalar-inputs.js';

const wrapped = (schema: JsonObject): JsonObject => {
  return { type: 'object', properties: { value: schema }, required: ['value'], additionalProperties: false };
};

describe('scalar inputs', () => {
  test.for<[string, JsonObject, boolean]>([
    ['an object', { type: 'object', properties: {} }, false],
    ['a text', { type: 'string' }, true],
    ['an array', { type: 'array', items: {} }, true],
    ['anything', {}, true],
    ['an object or null', { type: ['object', 'null'] }, true],
    ['a choice of objects', { anyOf: [{ type: 'object' }, { type: 'object' }] }, true],
    ['an object with a choice beside it', { type: 'object', oneOf: [{}, {}] }, true],
  ])('%s', ([, schema, needs]) => {
    expect(needsWrapping(schema)).toBe(needs);
    expect(toObjectSchema(schema)).toEqual(needs ? wrapped(schema) : schema);
  });

  test('keeps references working: definitions move out, the schema itself moves in', () => {
    const tree: JsonObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      anyOf: [{ $ref: '#/$defs/leaf' }, { type: 'array', items: { $ref: '#' } }],
      $defs: { leaf: { type: 'number' }, pair: { type: 'array', items: { $ref: '#/anyOf/0' } } },
    };
    const { $schema: _, ...plain } = tree;
    const own = new Ajv2020().compile(plain);
    const provider = new Ajv2020().compile(toObjectSchema(tree));

    for (const value of [1, [], [1, [2, [3]]], 'x', ['x'], { value: 1 }] as JsonValue[]) {
      expect(provider(wrapInput(value)), JSON.stringify(value)).toBe(own(value));
    }
    expect(toObjectSchema(tree)).not.toHaveProperty('properties.value.$schema');
  });

  test('gives back every value that was wrapped, falsy ones too', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(unwrapInput(wrapInput(value as JsonValue))).toEqual({ value });
      }),
    );
  });

  test.for<[JsonValue]>([[{}], [{ value: 1, more: 2 }], [{ text: 'x' }], ['x'], [null], [[1]]])(
    'takes nothing out of %j',
    ([input]) => {
      expect(unwrapInput(input)).toBeUndefined();
    },
  );
});
