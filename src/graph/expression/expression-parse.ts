import { deepFreeze } from '../../core/index.js';
import type { Token } from './expression-lex.js';
import { TokenCursor } from './expression-tokens.js';
import type { BinaryOperator, Condition, Expression, FunctionName, RootName } from './expression-types.js';
import { FUNCTIONS, MAX_CONDITION_DEPTH, MAX_CONDITION_NODES, META_KEYS } from './expression-types.js';

// The grammar (C-2), loosest first. Every level but `not` and `unary` is a loop, so depth is nesting and not length.
//   or         := and ('or' and)*
//   and        := not ('and' not)*
//   not        := 'not' not | comparison
//   comparison := additive (('==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not' 'in') additive)?
//   additive   := multiplicative (('+' | '-') multiplicative)*
//   multiplicative := unary (('*' | '/' | '%') unary)*
//   unary      := ('-' | 'not') unary | postfix
//   postfix    := primary ('.' name | '[' or ']')*       with a call only straight after a function's name
//   primary    := number | string | 'true' | 'false' | 'null' | '[' list ']' | '(' or ')' | root | function '(' list ')'

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>=', 'in'] as const satisfies readonly BinaryOperator[];
const ADDITIVES = ['+', '-'] as const satisfies readonly BinaryOperator[];
const MULTIPLICATIVES = ['*', '/', '%'] as const satisfies readonly BinaryOperator[];
const LITERALS = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const ROOTS = new Map<string, RootName>([
  ['state', 'state'],
  ['data', 'state'],
  ['conditions', 'conditions'],
  ['meta', 'meta'],
]);
const OPERATOR_WORDS = new Set(['and', 'or', 'not', 'in']);
/** Constants and operators from other languages, and their equivalents in conditions. */
const FOREIGN = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['undefined', 'null'],
  ['nil', 'null'],
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
  ['int', 'num'],
  ['float', 'num'],
]);

/**
 * Parses a condition (C-1 to C-5). Names, functions and method calls are checked during parsing, not during
 * evaluation. The result is plain, deeply frozen data.
 * @throws HitlError BAD_GRAPH with the column, from 1, and either the expected token or the exceeded limit:
 * 2,000 characters, 32 levels of nesting, 256 names, literals and operators.
 */
export function parseCondition(text: string): Condition {
  const parser = new Parser(text);
  return deepFreeze({ text, root: parser.whole() });
}

function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}

class Parser {
  readonly #tokens: TokenCursor;
  #depth = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#tokens = new TokenCursor(text);
  }

  whole(): Expression {
    const root = this.#or();
    if (this.#tokens.peek().type === 'end') return root;
    throw this.#tokens.expected('an operator or the end');
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#tokens.take('or')) left = this.#made({ type: 'or', left, right: this.#and() });
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#tokens.take('and')) left = this.#made({ type: 'and', left, right: this.#not() });
    return left;
  }

  #not(): Expression {
    if (!this.#tokens.take('not')) return this.#comparison();
    return this.#deeper(() => this.#made({ type: 'not', operand: this.#not() }));
  }

  #comparison(): Expression {
    const left = this.#additive();
    const operator = this.#comparator();
    if (operator === undefined) return left;
    const comparison = this.#binary(operator, left, this.#additive());
    const again = this.#tokens.peek();
    if (this.#comparator() === undefined) return comparison;
    throw this.#tokens.error(
      again.at,
      `comparisons cannot be chained, got another \`${again.text}\``,
      CHAIN_HINT,
    );
  }

  #comparator(): BinaryOperator | undefined {
    if (this.#tokens.is('not') && this.#tokens.is('in', 1)) {
      this.#tokens.skip(2);
      return 'not in';
    }
    return this.#tokens.takeOne(COMPARISONS);
  }

  #additive(): Expression {
    return this.#chain(ADDITIVES, () => this.#multiplicative());
  }

  #multiplicative(): Expression {
    return this.#chain(MULTIPLICATIVES, () => this.#unary());
  }

  #chain(signs: readonly BinaryOperator[], operand: () => Expression): Expression {
    let left = operand();
    for (let sign = this.#tokens.takeOne(signs); sign !== undefined; sign = this.#tokens.takeOne(signs))
      left = this.#binary(sign, left, operand());
    return left;
  }

  #unary(): Expression {
    const type = this.#tokens.take('-') ? 'minus' : this.#tokens.take('not') ? 'not' : undefined;
    if (type === undefined) return this.#postfix();
    return this.#deeper(() => this.#made({ type, operand: this.#unary() }));
  }

  #postfix(): Expression {
    let value = this.#primary();
    for (;;) {
      const at = this.#tokens.peek();
      if (this.#tokens.take('.')) {
        value = this.#read(value, this.#property(value));
      } else if (this.#tokens.take('[')) {
        const key = this.#deeper(() => this.#or());
        this.#tokens.need(']');
        value = this.#read(value, key);
      } else if (this.#tokens.is('(')) {
        this.#refuseCall(at);
      } else {
        return value;
      }
    }
  }

  #property(from: Expression): Expression {
    const { type, text, at } = this.#tokens.peek();
    if (type !== 'word') throw this.#tokens.expected('a property name');
    this.#tokens.skip();
    const isKnown = META_KEYS.some((key) => key === text);
    if (from.type === 'root' && from.name === 'meta' && !isKnown) {
      const known = `\`meta\` has ${META_KEYS.join(', ')}`;
      throw this.#tokens.error(at, `\`meta\` has no \`${text}\``, known);
    }
    return { type: 'literal', value: text };
  }

  #primary(): Expression {
    const token = this.#tokens.peek();
    if (token.type === 'number' || token.type === 'string') {
      this.#tokens.skip();
      return this.#made({ type: 'literal', value: token.value });
    }
    if (token.type === 'word' && !OPERATOR_WORDS.has(token.text)) return this.#word(token);
    if (this.#tokens.take('[')) return this.#made({ type: 'list', items: this.#items(']') });
    if (!this.#tokens.take('(')) throw this.#tokens.expected('a value');
    const inner = this.#deeper(() => this.#or());
    this.#tokens.need(')');
    return inner;
  }

  #word(token: Token): Expression {
    const { text, at } = token;
    this.#tokens.skip();
    const value = LITERALS.get(text);
    if (value !== undefined) return this.#made({ type: 'literal', value });
    const name = ROOTS.get(text);
    if (name !== undefined) return this.#made({ type: 'root', name });
    if (isFunctionName(text)) return this.#call(text, at);
    const ours = FOREIGN.get(text);
    const what = this.#tokens.is('(') ? 'function' : 'name';
    const hint = what === 'function' ? FUNCTIONS_HINT : NAMES_HINT;
    throw this.#tokens.error(
      at,
      `unknown ${what} \`${text}\``,
      ours === undefined ? hint : `write \`${ours}\``,
    );
  }

  #call(name: FunctionName, at: number): Expression {
    if (!this.#tokens.take('(')) throw this.#tokens.expected(`\`(\` after the function \`${name}\``);
    const given = this.#items(')');
    const { least, most } = FUNCTIONS[name];
    if (given.length >= least && given.length <= most)
      return this.#made({ type: 'call', name, arguments: given });
    const wanted = least === most ? `${least}` : `at least ${least}`;
    throw this.#tokens.error(
      at,
      `\`${name}\` takes ${wanted} argument${least === 1 ? '' : 's'}, got ${given.length}`,
    );
  }

  #items(close: ')' | ']'): readonly Expression[] {
    const items: Expression[] = [];
    if (this.#tokens.take(close)) return items;
    this.#deeper(() => {
      do items.push(this.#or());
      while (this.#tokens.take(','));
    });
    if (!this.#tokens.take(close)) throw this.#tokens.expected(`\`,\` or \`${close}\``);
    return items;
  }

  #binary(operator: BinaryOperator, left: Expression, right: Expression): Expression {
    return this.#made({ type: 'binary', operator, left, right });
  }

  #read(from: Expression, key: Expression): Expression {
    return this.#made({ type: 'read', from, key });
  }

  #refuseCall({ at }: Token): never {
    throw this.#tokens.error(at, 'only functions can be called, and only by name', FUNCTIONS_HINT);
  }

  #made(expression: Expression): Expression {
    this.#nodes += 1;
    if (this.#nodes <= MAX_CONDITION_NODES) return expression;
    throw this.#over(`more than ${MAX_CONDITION_NODES} names, literals and operators`);
  }

  #deeper<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_CONDITION_DEPTH) throw this.#over(`more than ${MAX_CONDITION_DEPTH} levels deep`);
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  #over(problem: string): Error {
    return this.#tokens.error(
      this.#tokens.peek().at,
      problem,
      'compute the condition in a node, and test the stored value',
    );
  }
}

const CHAIN_HINT = 'join two comparisons with `and`';
const NAMES_HINT = `the names are ${[...ROOTS.keys()].join(', ')}; put strings in quotes`;
const FUNCTIONS_HINT = `the functions are ${Object.keys(FUNCTIONS).join(', ')}`;
