import { parse } from '@humanwhocodes/momoa';
import type { DocumentNode, ElementNode, MemberNode, ValueNode } from '@humanwhocodes/momoa';
import type { JsonValue } from '../../src/core/index.js';
import { messageOf } from '../../src/core/index.js';

/** The names and numbers that lead to a value of a document. */
export type DocumentPath = readonly (string | number)[];

/** JSON with comments, as it was read. */
export interface ConfigDocument {
  readonly value: JsonValue;
  /** Counts from 1: the line of a member or of an item; of what holds it where it is not there itself. */
  lineOf(path: DocumentPath): number;
}

/** More levels than a configuration has are a trap for whoever reads it. */
const MOST_LEVELS = 64;

/**
 * Reads JSON with comments and trailing commas.
 * @throws SyntaxError with the line, for a text that is none, a name that stands twice, and too many levels.
 */
export function readDocument(text: string): ConfigDocument {
  const { body } = parsed(text);
  return { value: valueOf(body, 0), lineOf: (path) => lineIn(body, path) };
}

/** Parses a text. @throws SyntaxError */
export function parsed(text: string): DocumentNode {
  try {
    return parse(text, { mode: 'jsonc', tokens: true, allowTrailingCommas: true });
  } catch (cause) {
    const why = cause instanceof RangeError ? 'nested too deeply' : messageOf(cause);
    throw new SyntaxError(why.replace(/\s*\((\d+):(\d+)\)$/u, ' in line $1, column $2'), { cause });
  }
}

function valueOf(node: ValueNode, level: number): JsonValue {
  if (level > MOST_LEVELS)
    throw new SyntaxError(`line ${node.loc.start.line}: nested deeper than ${MOST_LEVELS} levels`);
  switch (node.type) {
    case 'Object': {
      const members = new Map<string, JsonValue>();
      for (const { name, value, loc } of node.members) {
        const key = nameOf(name);
        if (members.has(key)) throw new SyntaxError(`line ${loc.start.line}: duplicate key \`${key}\``);
        members.set(key, valueOf(value, level + 1));
      }
      return Object.fromEntries(members);
    }
    case 'Array':
      return node.elements.map(({ value }) => valueOf(value, level + 1));
    case 'String':
    case 'Number':
    case 'Boolean':
      return node.value;
    case 'Null':
      return null;
    case 'NaN':
    case 'Infinity':
      throw new SyntaxError(`line ${node.loc.start.line}: not a valid JSON number`);
  }
}

/** The name of a member. */
function nameOf(name: MemberNode['name']): string {
  return name.type === 'String' ? name.value : name.name;
}

/** A member, or an item, by its name or number; `undefined` where it is not there. */
export function childOf(node: ValueNode, key: string | number): MemberNode | ElementNode | undefined {
  if (node.type === 'Object') return node.members.find(({ name }) => nameOf(name) === key);
  return node.type === 'Array' && typeof key === 'number' ? node.elements[key] : undefined;
}

function lineIn(body: ValueNode, path: DocumentPath): number {
  let { line } = body.loc.start;
  let node = body;
  for (const key of path) {
    const child = childOf(node, key);
    if (child === undefined) break;
    ({ line } = child.loc.start);
    node = child.value;
  }
  return line;
}
