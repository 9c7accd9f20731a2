import { describe, expect, test } from 'vitest';

import { checkSchema } from '../../src/human/answer/check-schema.js';

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: ['string', 'number'] } } },
  required: ['name'],
};

describe('the check of an answer', () => {
  test.for([
    [{ name: 'Ann' }, PERSON, []],
    [{ name: 'Ann', more: 1 }, PERSON, []],
    [{ name: 7 }, PERSON, ['name: expected string, received number']],
    [
      { name: 'Ann', tags: [true] },
      PERSON,
      ['tags[0]: expected string, received boolean, or tags[0]: expected number, received boolean'],
    ],
    [{ name: 'Ann', more: 1 }, { ...PERSON, additionalProperties: false }, ['Unrecognized key: "more"']],
    [7, { type: 'string' }, ['expected string, received number']],
    [7, undefined, []],
    [7, {}, []],
  ] as const)('%j against %j', ([value, schema, issues]) => {
    expect(checkSchema(value, schema)).toEqual(issues);
  });

  test('leaves a schema that it cannot read to the tool', () => {
    expect(checkSchema(7, { if: { type: 'string' }, then: { minLength: 2 } })).toEqual([]);
    expect(checkSchema(7, { $ref: 'https://example.com/schema' })).toEqual([]);
  });
});
