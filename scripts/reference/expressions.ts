import type { FunctionName } from '../../src/graph/expression/expression-types.js';
import { FUNCTIONS } from '../../src/graph/expression/expression-types.js';
import { evaluateExpression } from '../../src/graph/expression/expression-eval.js';
import { parseCondition } from '../../src/graph/expression/expression-parse.js';

/** What each function does, and examples; a new one does not compile until it is told here. */
const WORDS: Readonly<Record<FunctionName, readonly [does: string, ...examples: string[]]>> = {
  len: [
    'characters of a text, items of a list, members of an object; what is missing has none',
    'len(state.title)',
    'len(state.none)',
  ],
  has: ['whether the state has the key; one that holds `null` is there', "has('title')", "has('none')"],
  get: ['a key of the state, or else the second value', "get('none', 5)"],
  min: ['the smallest of numbers or of texts, also of one list', 'min(3, state.tries)', 'min([])'],
  max: ['the largest', "max('a', 'b')"],
  abs: ['a number without its sign', 'abs(-2)'],
  str: ['a text of anything but lists and objects', 'str(1.5)'],
  num: ['a number of a number, a boolean or a decimal text', "num('12')", "num('twelve')"],
  bool: ['whether a value counts as true', 'bool([])', "bool('false')"],
  lower: ['a text in small letters', "lower('OK')"],
  startsWith: ['whether a text begins with another', "startsWith(state.title, 'Q')"],
  endsWith: ['whether it ends with another', "endsWith(state.title, '?')"],
  contains: [
    'whether a text, a list or the keys of an object have a value',
    "contains(state.tags, 'urgent')",
  ],
};

const OPERATORS: readonly (readonly [signs: string, does: string, ...examples: string[]])[] = [
  ['`or`', 'the first operand that counts as true, else the last', "state.none or 'nobody'"],
  ['`and`', 'the first operand that counts as false, else the last', 'state.tries and state.title'],
  ['`not`', 'true or false, turned round', 'not state.none'],
  [
    '`==` `!=`',
    'equal, deeply and strictly: a number is never a text',
    "state.tries == '2'",
    'state.tags == ["urgent"]',
  ],
  [
    '`<` `<=` `>` `>=`',
    'order, of two numbers or of two texts',
    'state.tries < 3',
    "state.tries < '3'",
    'state.none < 3',
  ],
  [
    '`in` `not in`',
    'in a list, in a text, among the keys of an object; nothing is in what is missing',
    "'urgent' in state.tags",
    "'x' in state.none",
  ],
  [
    '`+` `-` `*` `/` `%`',
    'numbers; `+` joins two texts too',
    'state.tries + 1',
    "state.title + '!'",
    'state.title + 1',
    '1 / 0',
  ],
];

const STATE = { title: 'Q3 report', tries: 2, tags: ['urgent'] };
const SCOPE = {
  state: STATE,
  conditions: {},
  meta: { iteration: 1, node: 'review', visit: 1, path: ['review'] },
};

/** The page of the language of conditions, whose examples are evaluated. */
export function expressionsPage(): string {
  return [
    '# Expressions',
    '',
    'Made from the program by `npm run reference`: each example was evaluated. Conditions of edges and gates, `select`, `items` and `${…}` of [graph files](../guides/graph-files.md) are written in this language. It only reads; it calls no code of yours.',
    '',
    `The examples read the state \`${JSON.stringify(STATE)}\`.`,
    '',
    '## What can be read',
    '',
    '| name | what it is |',
    '| --- | --- |',
    '| `state` | the state of the workflow; `data` is another name for it |',
    '| `conditions` | what `change-condition` set; at edges and gates only |',
    '| `meta` | `iteration`, `node`, `visit` (from 1), `path` (names of the visited nodes), `lastStatus`; at edges and gates only |',
    '',
    '`state.a.b`, `state["a b"]` and `state.list[0]` read members; `state.list[-1]` is the last one. Texts stand in `\'…\'` or `"…"`; `true`, `false`, `null`, numbers and lists `[1, 2]` are values.',
    '',
    '## Operators',
    '',
    'From the loosest to the tightest; parentheses help.',
    '',
    table(OPERATORS),
    '## Functions',
    '',
    table(
      Object.entries(FUNCTIONS).map(([name, { least, most }]) => {
        const [does = '', ...examples] = isFunction(name) ? WORDS[name] : [];
        const counted = most === Infinity ? `${least} or more` : String(most);
        return [`\`${name}\` (${counted})`, does, ...examples];
      }),
    ),
    '## Missing values, and kinds',
    '',
    '- What is not there reads as `null`, at any depth: `state.none.deeper` is `null`.',
    '- A condition that gives no boolean counts as false where it gives `null`, `0`, an empty text, list or object, and as true otherwise.',
    "- An order, a sum or a function of the wrong kinds is an error and not a `false`: the edge is not taken, and the journal says why (`edge-failed`). Compare only what is there: `has('n') and state.n < 3`.",
    '- A text of a condition has at most 2,000 characters, 256 names and operators, and 32 levels of nesting; an evaluation looks at no more than 10,000,000 values and characters.',
    '',
  ].join('\n');
}

function table(rows: readonly (readonly [signs: string, does: string, ...examples: string[]])[]): string {
  const lines = rows.map(([signs, does, ...examples]) => {
    return `| ${signs} | ${does} | ${examples.map(example).join('<br>')} |`;
  });
  return `| | what it gives | examples |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
}

function example(text: string): string {
  const result = evaluateExpression(parseCondition(text), SCOPE);
  const given = result.ok
    ? `\`${JSON.stringify(result.value)}\``
    : `error: ${result.error.split(': ').slice(1).join(': ')}`;
  return `\`${text}\` → ${given}`;
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}
