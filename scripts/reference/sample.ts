import { isJsonObject } from '../../src/core/index.js';
import type { JsonObject, JsonValue } from '../../src/core/index.js';

/** Values that say more than their type does, by the name of the definition or of the member. */
const BY_NAME: Readonly<Record<string, JsonValue>> = {
  SessionId: '01m7yyykhxnz51r4',
  Time: '2026-01-31T09:30:00.000Z',
  ToolRef: 'call_1',
  InterruptId: 'i1',
  JsonObject: {},
  JsonValue: { toAccount: 'ABC123', amount: 200 },
  Message: { role: 'model', content: [{ type: 'text', text: 'Done.' }] },
  TranscriptMessage: { role: 'model', content: [{ text: 'Done.' }] },
  name: 'transfer_money',
  tool: 'transfer_money',
  node: 'review',
  to: 'publish',
  start: 'draft',
  host: 'laptop',
  text: 'The transfer',
  reason: 'overloaded',
  why: 'the node is not there any more',
  message: 'the state has no `draft`',
  hash: '5f0c…',
  digest: '0'.repeat(64),
  toolDigest: '0'.repeat(64),
  idempotencyKey: '01m7yyykhxnz51r4/call_1/1',
  model: 'demo',
  ToolOutcome: { type: 'output', output: { balance: 800 } },
  waitMs: 2000,
  characters: 120,
};

/** Makes an example of a JSON Schema: what is required and nothing else, the first of several kinds. */
export function sampleOf(schema: JsonValue | undefined, root: JsonObject, name = ''): JsonValue {
  if (!isJsonObject(schema)) return null;
  const { $ref, anyOf, oneOf, properties, required, type, minimum } = schema;
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return first(schema['enum']);
  const definition = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : '';
  if (Object.hasOwn(BY_NAME, definition)) return BY_NAME[definition] ?? null;
  const named = BY_NAME[name];
  if (typeof named === type || (typeof named === 'number' && type === 'integer')) return named ?? null;
  if (definition !== '') return sampleOf(definitionOf(root, definition), root, name);
  const kinds = anyOf ?? oneOf;
  if (Array.isArray(kinds)) return sampleOf(first(kinds), root, name);
  if (type === 'array') return [];
  if (type === 'string') return name === '' ? 'text' : name;
  if (type === 'integer' || type === 'number')
    return typeof minimum === 'number' && minimum >= 0 ? minimum : 1;
  if (type === 'boolean') return false;
  const names = Array.isArray(required) ? required.filter((one) => typeof one === 'string') : [];
  const members = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(names.map((one) => [one, sampleOf(members[one], root, one)]));
}

/** A definition of a schema by its name. */
export function definitionOf(root: JsonObject, name: string): JsonObject {
  const { $defs } = root;
  const found = isJsonObject($defs) ? $defs[name] : undefined;
  if (!isJsonObject(found)) throw new Error(`the schema defines no ${name}`);
  return found;
}

function first(list: readonly JsonValue[]): JsonValue {
  return list[0] ?? null;
}
