import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonArray, isJsonObject, membersOf } from '../../core/index.js';
import { evaluateExpression } from '../expression/expression-eval.js';
import { parseCondition } from '../expression/expression-parse.js';
import type { Condition, Expression } from '../expression/expression-types.js';

/**
 * JSON with `${expression}` in its strings. A string that consists of a single expression becomes the
 * expression's value.
 */
export type Template =
  | { readonly type: 'text'; readonly pieces: readonly (string | Condition)[] }
  | { readonly type: 'list'; readonly items: readonly Template[] }
  | { readonly type: 'object'; readonly members: readonly (readonly [string, Template])[] }
  | { readonly type: 'value'; readonly value: JsonValue };

/**
 * Parses a value from a file; `$${` stands for a literal `${`. Keys are left unchanged.
 * @throws HitlError BAD_GRAPH for an invalid expression, or one that reads anything except the state.
 */
export function parseTemplate(value: JsonValue): Template {
  if (typeof value === 'string') return { type: 'text', pieces: piecesOf(value) };
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) => [key, parseTemplate(member)] as const);
    return { type: 'object', members };
  }
  return typeof value === 'object' && value !== null && isJsonArray(value)
    ? { type: 'list', items: value.map(parseTemplate) }
    : { type: 'value', value };
}

/**
 * Parses an expression that may only read the state, not `conditions` or `meta`.
 * @throws HitlError BAD_GRAPH
 */
export function parseStateExpression(text: string): Condition {
  const expression = parseCondition(text);
  const foreign = rootsOf(expression.root).find((name) => name !== 'state');
  if (foreign === undefined) return expression;
  throw new HitlError('BAD_GRAPH', `only \`state\` can be read here, not \`${foreign}\`; got \`${text}\``);
}

/** Evaluates an expression against a state. @throws HitlError BAD_STATE if evaluation fails. */
export function valueOn(state: JsonObject, expression: Condition): JsonValue {
  const result = evaluateExpression(expression, { state, conditions: {}, meta: {} });
  if (result.ok) return result.value;
  throw new HitlError('BAD_STATE', result.error);
}

/** Returns an expression's value as text, in the format of `fillText`. @throws HitlError BAD_STATE */
export function textOn(state: JsonObject, expression: Condition): string {
  return shown(valueOn(state, expression));
}

/** Fills a template with values from a state. @throws HitlError BAD_STATE */
export function fill(template: Template, state: JsonObject): JsonValue {
  switch (template.type) {
    case 'value':
      return template.value;
    case 'list':
      return template.items.map((item) => fill(item, state));
    case 'object':
      return Object.fromEntries(template.members.map(([key, member]) => [key, fill(member, state)]));
    case 'text': {
      const [only, ...more] = template.pieces;
      if (only !== undefined && typeof only !== 'string' && more.length === 0) return valueOn(state, only);
      return template.pieces
        .map((piece) => (typeof piece === 'string' ? piece : shown(valueOn(state, piece))))
        .join('');
    }
  }
}

/**
 * Fills a template and returns it as text. `null`, including a missing value, becomes empty; other values
 * that are not strings are written as JSON.
 */
export function fillText(template: Template, state: JsonObject): string {
  return shown(fill(template, state));
}

/** Fills a template whose value is an object. */
export function fillObject(template: Template, state: JsonObject): JsonObject {
  return membersOf(fill(template, state));
}

function shown(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function piecesOf(text: string): readonly (string | Condition)[] {
  const pieces: (string | Condition)[] = [];
  let plain = '';
  for (let at = 0; at < text.length;) {
    if (text.startsWith('$${', at)) {
      plain += '${';
      at += 3;
    } else if (text.startsWith('${', at)) {
      const end = endOf(text, at + 2);
      if (plain !== '') pieces.push(plain);
      plain = '';
      pieces.push(parseStateExpression(text.slice(at + 2, end)));
      at = end + 1;
    } else {
      plain += text.charAt(at);
      at += 1;
    }
  }
  return plain === '' && pieces.length > 0 ? pieces : [...pieces, plain];
}

/** Returns the offset of the `}` that ends an expression, ignoring any inside quotes. */
function endOf(text: string, start: number): number {
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote === '' && character === '}') return at;
    if (quote !== '' && character === '\\') at += 1;
    else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
  }
  throw new HitlError('BAD_GRAPH', `\`\${\` has no \`}\` after it in \`${text.slice(0, 80)}\``);
}

function rootsOf(expression: Expression): readonly string[] {
  switch (expression.type) {
    case 'literal':
      return [];
    case 'root':
      return [expression.name];
    case 'list':
      return expression.items.flatMap(rootsOf);
    case 'call':
      return expression.arguments.flatMap(rootsOf);
    case 'read':
      return [...rootsOf(expression.from), ...rootsOf(expression.key)];
    case 'not':
    case 'minus':
      return rootsOf(expression.operand);
    case 'and':
    case 'or':
    case 'binary':
      return [...rootsOf(expression.left), ...rootsOf(expression.right)];
  }
}
