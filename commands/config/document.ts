import { parse } from '@humanwhocodes/momoa';
import type { DocumentNode, ElementNode, MemberNode, ValueNode } from '@humanwhocodes/momoa';
import type { JsonValue } from '../../src/core/index.js';
import { messageOf } from '../../src/core/index.js';

/** Path of keys and indices to a value in a document. */
export type DocumentPath = readonly (string | number)[];

/** Parsed JSON with comments. */
export interface ConfigDocument {
  readonly value: JsonValue;
  /**
   * Returns the line number of a property or item, starting at 1. If it is missing, returns the line number
   * of its parent.
   */
  lineOf(path: DocumentPath): number;
}

/** Maximum nesting depth. No configuration needs more, so deeper nesting is treated as an attack. */
const MOST_LEVELS = 64;

/**
 * Parses JSON with comments and trailing commas.
 * @throws SyntaxError with the line number for invalid text, a duplicate key, or excessive nesting.
 */
export function readDocument(text: string): ConfigDocument {
  const { body } = parsed(text);
  return { value: valueOf(body, 0), lineOf: (path) => lineIn(body, path) };
}

/** @throws SyntaxError */
export function parsed(text: string): DocumentNode {
  try {
    return parse(text, { mode: 'jsonc', tokens: true, allowTrailingCommas: true });
  } catch (cause) {
    throw new SyntaxError(cause instanceof RangeError ? 'nested too deeply' : whyOf(cause), { cause });
  }
}

/** Rewords a parser's error: `Unexpected end of input found. (1:25)`. */
function whyOf(cause: unknown): string {
  const placed = messageOf(cause).replace(/\.?\s*\((\d+):(\d+)\)$/u, ' in line $1, column $2');
  return placed.replace(/^Unexpected ([^]+) found( in line \d+, column \d+)$/u, 'unexpected $1$2');
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

/** Returns the name of a property. */
function nameOf(name: MemberNode['name']): string {
  return name.type === 'String' ? name.value : name.name;
}

/** Returns a property or item by name or index; `undefined` if missing. */
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
