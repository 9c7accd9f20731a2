// Schemas, names and descriptions of tools that somebody else wrote.
import fc from 'fast-check';
import { expect } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/core/index.js';
import {
  describeTool,
  isHitlError,
  isLegalToolName,
  schemaDigest,
  toolDigest,
} from '../../src/core/index.js';
import { defineTool } from '../../src/tools/index.js';
import { jsonValues } from '../helpers/arbitraries.js';
import { hostileText } from '../render/hostile.js';
import { fuzzTarget } from './fuzz.js';

/** JSON Schemas: sound ones, recursive ones, huge lists of choices, and things that are none. */
function schemas(): fc.Arbitrary<JsonObject> {
  const key = fc.constantFrom('a', 'b', 'constructor', 'toString', 'length', '$ref', 'é');
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonObject>(
        {},
        { type: 'string' },
        { type: 'number', minimum: 0 },
        { type: 'boolean' },
        { type: 'null' },
        { type: 'nothing' },
        { $ref: '#/$defs/none' },
      ),
      fc
        .integer({ min: 1, max: 400 })
        .map((size): JsonObject => ({ enum: Array.from({ length: size }, (_, index) => `v${index}`) })),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.tuple(tie('schema'), tie('schema')).map(([left, right]): JsonObject => ({ anyOf: [left, right] })),
      fc
        .tuple(fc.dictionary(key, tie('schema'), { maxKeys: 3 }), fc.boolean())
        .map(([properties, isClosed]): JsonObject => ({
          type: 'object',
          properties,
          required: Object.keys(properties).slice(0, 1),
          ...(isClosed && { additionalProperties: false }),
        })),
    ),
  }));
  const recursive: JsonObject = {
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    $ref: '#/$defs/node',
  };
  return fc.oneof({ weight: 8, arbitrary: schema }, { weight: 1, arbitrary: fc.constant(recursive) });
}

const names = fc.oneof(
  fc.constantFrom(
    'pay',
    'a/pay',
    'constructor',
    '__proto__',
    '',
    'x'.repeat(65),
    'a b',
    '-rf',
    'pay\u001b[2K',
  ),
  fc.string({ maxLength: 8 }),
  hostileText(),
);

interface Given {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

function made({ name, description, schema }: Given) {
  try {
    return defineTool({ name, description, input: schema }, () => null);
  } catch (error) {
    if (isHitlError(error)) return error.code;
    throw error;
  }
}

/** The same schema with the keys of its objects the other way round. */
function reordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => reordered(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries: [string, JsonValue][] = Object.entries(value).map(([key, member]: [string, JsonValue]) => [
    key,
    reordered(member),
  ]);
  return Object.fromEntries(entries.reverse());
}

fuzzTarget('tool-schemas', {
  'are offered safely, or refused by name; a check of any value ends in a verdict (T8)': {
    runs: 300,
    property: () =>
      fc.asyncProperty(
        names,
        hostileText(),
        schemas(),
        jsonValues(),
        async (name, description, schema, value) => {
          const tool = made({ name, description, schema });
          if (typeof tool === 'string') {
            expect(tool).toBe('BAD_CONFIG');
            return true;
          }
          expect(isLegalToolName(tool.name)).toBe(true);
          expect(JSON.parse(JSON.stringify(describeTool(tool)))).toEqual(describeTool(tool));
          const parsed = await tool.parseInput(value);
          if (parsed.ok) expect(JSON.parse(JSON.stringify(parsed.value))).toEqual(parsed.value);
          else expect(parsed.issues.length).toBeGreaterThan(0);
          expect(Object.keys(Object.prototype)).toEqual([]);
          return true;
        },
      ),
  },
  'have a digest that holds for the same meaning and for no other (G11)': {
    runs: 300,
    property: () =>
      fc.property(schemas(), schemas(), (schema, other) => {
        const tool = made({ name: 'pay', description: 'Pays.', schema });
        const twin = made({ name: 'pay', description: 'Pays.', schema: reordered(schema) as JsonObject });
        const changed = made({ name: 'pay', description: 'Pays.', schema: other });
        if (typeof tool === 'string') return true;
        if (typeof twin !== 'string') expect(schemaDigest(twin)).toBe(schemaDigest(tool));
        if (typeof changed === 'string') return true;
        const isSame =
          JSON.stringify(reordered(reordered(schema))) === JSON.stringify(reordered(reordered(other)));
        if (schemaDigest(changed) === schemaDigest(tool)) expect(canonical(other)).toBe(canonical(schema));
        else expect(isSame).toBe(false);
        expect(schemaDigest({ ...tool, effect: 'none' })).not.toBe(schemaDigest(tool));
        expect(toolDigest({ ...tool, description: 'Pays more.' })).not.toBe(toolDigest(tool));
        return true;
      }),
  },
});

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}
