import type { Document, Node } from 'yaml';
import { Composer, isAlias, isMap, isScalar, isSeq, Parser } from 'yaml';

import type { JsonValue } from '../../core/index.js';
import { MAX_DEPTH, parseStrictJson } from '../../core/index.js';
import type { FilePath, PlacedProblem } from './file-problem.js';
import { Places } from './places.js';

// Invariants:
// Y1 Nothing of a file is ever more than data: a tag that is not one of JSON's kinds is refused.
// Y2 Work is bounded before it is done: by the length of the text, the depth of its tokens, the values that aliases
//    unfold to. The composer of the package recurses, and a stack at its end can take the whole process with it.
// Y3 Every value and key that is returned has a place.

/** Maximum length of a graph file, in UTF-16 units. */
const MAX_LENGTH = 500_000;
/** Maximum number of values in a file, including the values that aliases expand to. */
const MAX_VALUES = 50_000;
const MAX_ALIASES = 100;

/** A file's content with positions, or the reasons it cannot be read. */
export type Source =
  | { readonly ok: true; readonly value: JsonValue; readonly places: Places }
  | { readonly ok: false; readonly problems: readonly PlacedProblem[] };

/** Parses a YAML or JSON file into plain JSON data. Never throws because of the content. */
export function readSource(text: string, format: 'yaml' | 'json'): Source {
  const places = new Places(text);
  if (text.length > MAX_LENGTH) return fault(places.at(0, `it is longer than ${MAX_LENGTH} characters`));
  return format === 'json' ? readJson(text, places) : readYaml(text, places);
}

/** Parses JSON, then parses it again as YAML to get positions, since JSON is a subset of YAML. */
function readJson(text: string, places: Places): Source {
  const json = parseStrictJson(text);
  if (!json.ok) return fault(places.at(json.at, json.message));
  const rounded = json.warnings.filter(({ type }) => type === 'rounded-integer');
  if (rounded.length > 0) return fault(...rounded.map(({ at, message }) => places.at(at, message)));
  readYaml(text, places);
  return { ok: true, value: json.value, places };
}

function readYaml(text: string, places: Places): Source {
  const composed = compose(text, places);
  if (!composed.ok) return composed;
  const reading: Reading = { document: composed.document, places, problems: [], values: 0, aliases: 0 };
  const value = valueOf(reading, composed.document.contents, [], new Set());
  return reading.problems.length > 0
    ? { ok: false, problems: reading.problems }
    : { ok: true, value, places };
}

function fault(...problems: readonly PlacedProblem[]): Extract<Source, { ok: false }> {
  return { ok: false, problems };
}

function compose(
  text: string,
  places: Places,
): { readonly ok: true; readonly document: Document.Parsed } | Extract<Source, { ok: false }> {
  const tokens = [...new Parser().parse(text)];
  const deep = tokens.map((token) => tooDeep(token, 0)).find((offset) => offset !== undefined);
  if (deep !== undefined) return fault(places.at(deep, `it is more than ${MAX_DEPTH} levels deep`));
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false, // Y1
    stringKeys: true,
    uniqueKeys: false, // ours names both
  });
  const [document, ...more] = composer.compose(tokens, true, text.length);
  if (document === undefined) return fault(places.at(0, 'it is empty'));
  const problems = [...document.errors, ...document.warnings].map(({ pos, message }) =>
    places.at(pos[0], message),
  );
  const [second] = more;
  if (second !== undefined) problems.push(places.at(second.range[0], 'a file can only contain one document'));
  return problems.length > 0 ? fault(...problems) : { ok: true, document };
}

/**
 * Returns the offset of the first token that is nested too deeply. Does not recurse beyond the allowed depth.
 */
function tooDeep(token: unknown, depth: number): number | undefined {
  if (typeof token !== 'object' || token === null) return undefined;
  const offset: unknown = Reflect.get(token, 'offset');
  const isContainer = Array.isArray(Reflect.get(token, 'items'));
  if (isContainer && depth >= MAX_DEPTH) return typeof offset === 'number' ? offset : 0;
  for (const name of ['items', 'key', 'value']) {
    const inner: unknown = Reflect.get(token, name);
    for (const one of Array.isArray(inner) ? inner : [inner]) {
      const found = tooDeep(one, isContainer ? depth + 1 : depth);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

interface Reading {
  readonly document: Document.Parsed;
  readonly places: Places;
  readonly problems: PlacedProblem[];
  values: number;
  aliases: number;
}

function valueOf(
  reading: Reading,
  node: Node | null | undefined,
  path: FilePath,
  parents: ReadonlySet<Node>,
): JsonValue {
  const { places } = reading;
  reading.values += 1;
  if (node === null || node === undefined) return null;
  places.value(path, node.range?.[0] ?? 0);
  if (reading.values > MAX_VALUES)
    return refused(reading, path, `it contains more than ${MAX_VALUES} values`);
  if (isAlias(node)) {
    reading.aliases += 1;
    if (reading.aliases > MAX_ALIASES) return refused(reading, path, `more than ${MAX_ALIASES} aliases`);
    const meant = node.resolve(reading.document);
    if (meant === undefined)
      return refused(reading, path, `the anchor \`&${node.source}\` is not defined before this alias`);
    if (parents.has(meant)) return refused(reading, path, `\`*${node.source}\` contains itself`);
    return valueOf(reading, meant, path, parents);
  }
  if (isScalar(node)) return scalarOf(reading, node.value, path);
  if (parents.size >= MAX_DEPTH) return refused(reading, path, `it is more than ${MAX_DEPTH} levels deep`);
  const inside = new Set([...parents, node]);
  if (isSeq<Node>(node)) {
    return node.items.map((item, index) => valueOf(reading, item, [...path, index], inside));
  }
  return isMap<Node, Node>(node) ? membersOf(reading, node.items, path, inside) : null;
}

function membersOf(
  reading: Reading,
  pairs: readonly { readonly key: Node; readonly value: Node | null }[],
  path: FilePath,
  inside: ReadonlySet<Node>,
): JsonValue {
  const { places, problems } = reading;
  const members = new Map<string, JsonValue>();
  for (const { key, value } of pairs) {
    const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined;
    const offset = key.range?.[0] ?? 0;
    if (name === undefined) {
      problems.push(places.at(offset, 'a key must be a string'));
    } else if (name === '__proto__') {
      problems.push(places.at(offset, 'the key `__proto__` is not allowed'));
    } else if (members.has(name)) {
      const { line } = places.placeKey([...path, name], '');
      problems.push(places.at(offset, `duplicate key \`${name}\`, first used on line ${line}`));
    } else {
      places.key([...path, name], offset);
      // A key without a value is placed at the key.
      places.value([...path, name], offset);
      members.set(name, valueOf(reading, value, [...path, name], inside));
    }
  }
  return Object.fromEntries(members);
}

function scalarOf(reading: Reading, value: unknown, path: FilePath): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      return refused(reading, path, 'this number would be rounded; write it in quotes');
    return value + 0;
  }
  return refused(reading, path, 'this value is not valid in JSON');
}

function refused({ places, problems }: Reading, path: FilePath, message: string): null {
  // Once is enough for a limit.
  if (!problems.some((problem) => problem.message === message)) problems.push(places.place(path, message));
  return null;
}
