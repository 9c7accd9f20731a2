import type { DocumentNode, ValueNode } from '@humanwhocodes/momoa';
import type { JsonValue } from '../../src/core/index.js';
import type { DocumentPath } from './document.js';
import { childOf, parsed } from './document.js';

/** A range of text and its replacement. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Sets a value in JSON with comments, creating objects as needed. Everything else is unchanged. An index one
 * past the end of a list appends to the list.
 * @throws SyntaxError if the text is not JSON, or if a value on the path is neither an object nor a list.
 */
export function withValue(text: string, path: DocumentPath, value: JsonValue): string {
  const whole = text.trim() === '' ? '{}\n' : text;
  const document = parsed(whole);
  let node: ValueNode = document.body;
  for (const [depth, key] of path.entries()) {
    const child = childOf(node, key);
    if (child === undefined) return applied(whole, added({ whole, document, node, depth }, path, value));
    node = child.value;
  }
  const [from, to] = spanOf(node);
  return applied(whole, [{ from, to, text: indented(value, columnIn(whole, from)) }]);
}

/** Removes a property or item from JSON with comments; returns the text unchanged if it is missing. */
export function withoutValue(text: string, path: DocumentPath): string {
  const document = parsed(text);
  let node: ValueNode = document.body;
  let [from, to] = [0, 0];
  for (const key of path) {
    const child = childOf(node, key);
    if (child === undefined) return text;
    [from, to] = spanOf(child);
    node = child.value;
  }
  const commas = commasOf(document);
  const next = nextToken(document, to);
  if (next !== undefined && commas.has(next)) return applied(text, [lineless(text, from, next + 1)]);
  const before = lastBefore(commas, from, text);
  const last = lineless(text, from, to);
  return applied(text, before === undefined ? [last] : [{ from: before, to: before + 1, text: '' }, last]);
}

interface Place {
  readonly whole: string;
  readonly document: DocumentNode;
  /** The object or list that receives a property or item. */
  readonly node: ValueNode;
  /** Number of path steps that lead to the node. */
  readonly depth: number;
}

function added(
  { whole, document, node, depth }: Place,
  path: DocumentPath,
  value: JsonValue,
): readonly Edit[] {
  if (node.type !== 'Object' && node.type !== 'Array')
    throw new SyntaxError(`\`${path.slice(0, depth).join('.')}\` is neither an object nor a list`);
  const [key = '', ...inner] = path.slice(depth);
  const nested = inner.reduceRight<JsonValue>((all, name) => ({ [String(name)]: all }), value);
  const children = node.type === 'Object' ? node.members : node.elements;
  const [start, end] = spanOf(node);
  const first = children[0];
  const margin = first === undefined ? columnIn(whole, start) + 2 : columnIn(whole, spanOf(first)[0]);
  const name = node.type === 'Object' ? `${JSON.stringify(String(key))}: ` : '';
  const text = `${name}${indented(nested, margin)}`;
  const last = children.at(-1);
  const isOneLine = !whole.slice(start, end).includes('\n') && first !== undefined;
  // Behind the last thing inside, be it a comment; the closing bracket goes to a line of its own.
  const inside = whole.slice(start, end - 1).trimEnd();
  const at = start + inside.length;
  const closing = `\n${' '.repeat(indentIn(whole, start))}`;
  const member: Edit = isOneLine
    ? { from: at, to: end - 1, text: ` ${text}${whole.slice(at, end - 1)}` }
    : { from: at, to: end - 1, text: `\n${' '.repeat(margin)}${text}${closing}` };
  if (last === undefined) return [member];
  const behind = spanOf(last)[1];
  const next = nextToken(document, behind);
  const hasComma = next !== undefined && commasOf(document).has(next);
  return hasComma ? [member] : [{ from: behind, to: behind, text: ',' }, member];
}

/** Applies non-overlapping edits, which must be ordered by position. */
function applied(text: string, edits: readonly Edit[]): string {
  return edits
    .toReversed()
    .reduce((all, edit) => all.slice(0, edit.from) + edit.text + all.slice(edit.to), text);
}

/** Creates an edit that removes a range, and the whole line if nothing else is on it. */
function lineless(text: string, from: number, to: number): Edit {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = text.indexOf('\n', to);
  const stop = end < 0 ? text.length : end + 1;
  const isAlone = text.slice(start, from).trim() === '' && text.slice(to, stop).trim() === '';
  return isAlone ? { from: start, to: stop, text: '' } : { from, to, text: '' };
}

function spanOf({ loc }: Pick<ValueNode, 'loc'>): readonly [from: number, to: number] {
  return [loc.start.offset, loc.end.offset];
}

function commasOf({ tokens = [] }: DocumentNode): ReadonlySet<number> {
  return new Set(tokens.filter(({ type }) => type === 'Comma').map(({ loc }) => loc.start.offset));
}

/** Returns the position of the next token that is not a comment. */
function nextToken({ tokens = [] }: DocumentNode, from: number): number | undefined {
  return tokens.find(({ loc, type }) => loc.start.offset >= from && !type.endsWith('Comment'))?.loc.start
    .offset;
}

/** Returns the position of the comma before the last of several items. */
function lastBefore(commas: ReadonlySet<number>, from: number, text: string): number | undefined {
  const before = [...commas].filter((comma) => comma < from).at(-1);
  const opened = Math.max(text.lastIndexOf('{', from - 1), text.lastIndexOf('[', from - 1));
  return before !== undefined && before > opened ? before : undefined;
}

function columnIn(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const lead = text.slice(start, at);
  return lead.trim() === '' ? lead.length : indentIn(text, at);
}

/** Returns the indent of the line at a position. */
function indentIn(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return /^ */u.exec(text.slice(start))?.[0].length ?? 0;
}

/** Formats a value as JSON, indenting every line after the first by `margin`. */
function indented(value: JsonValue, margin: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(margin)}`);
}
