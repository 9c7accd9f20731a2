// Every rule of the guide, changed by one slip: it is refused, or it means exactly what it says. The oracle below reads
// the text on its own, and shares nothing with the parser.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue, RuleEffect, ToolDescriptor, ToolRule } from '../../../src/core/index.js';
import { judgeCall, policyWords, readRule, servedTool } from '../../../src/core/index.js';
import { killPoints } from '../../helpers/kill-points.js';

const PLACE = { folder: '/home/ann/shop', home: '/home/ann' };

/** The rules that the guide shows: in its configuration, its commands, and its table. */
function rulesOfGuide(): readonly string[] {
  const guide = readFileSync(new URL('../../../docs/guides/rules.md', import.meta.url), 'utf8');
  const inJson = [...guide.matchAll(/"(allow|ask|deny)": \[(.*?)\]/gsu)].flatMap(
    ([, effect = '', list = '']) =>
      [...list.replaceAll(/\{.*/gsu, '').matchAll(/"([^"]*)"/gu)].map(([, text = '']) => `${effect} ${text}`),
  );
  const commands = [...guide.matchAll(/hitl rules add ((?:allow|ask|deny) .*?)(?: --here.*)?[`\n]/gu)].map(
    ([, text = '']) => text.replaceAll("'", ''),
  );
  const inTable = [...guide.matchAll(/`((?:allow|ask|deny) [^`|]+)`/gu)].map(([, text = '']) => text);
  const served = ['allow mcp:files/* when read-only', 'deny mcp:files/list', 'ask pay {"to":"ann"} needs 2'];
  return [...new Set([...inJson, ...commands, ...inTable, ...served])].filter((text) => !text.includes('<'));
}

// Mutations

const ALIKE: Readonly<Record<string, string>> = {
  a: 'а',
  e: 'е',
  o: 'о',
  c: 'с',
  p: 'р',
  s: 'ѕ',
  i: 'і',
  n: 'ո',
};
const INSERTED = [
  'needs',
  '2',
  'x',
  '…',
  '...',
  '*',
  'when',
  'not',
  'of',
  '@ops',
  '-f',
  '/',
  "'",
  '"',
  '>',
  'read-only',
];
const SPACES = ['  ', '\t', '\u00a0', '\u2003', '\u3000', '\u200b', ' \u2060', '\n', ' \u00ad'];

function mutations(text: string): readonly string[] {
  const [effect = '', ...words] = text.split(' ');
  const join = (some: readonly string[]) => `${effect} ${some.join(' ')}`;
  const at = (index: number, ...by: readonly string[]) => join(words.toSpliced(index, 1, ...by));
  return words.flatMap((word, index) => {
    const next = words[index + 1];
    const rest = words.slice(index).join(' ');
    const alike = Array.from(word).findIndex((letter) => ALIKE[letter] !== undefined);
    const middle = Math.floor(word.length / 2);
    return [
      at(index),
      at(index, word, word),
      at(index, `'${word}'`),
      at(index, `"${word}"`),
      at(index, `'${word}`),
      at(index, `\u2018${word}\u2019`),
      join([...words.slice(0, index), `'${rest}'`]),
      join([...words.slice(0, index), `"${rest}"`]),
      ...(next === undefined ? [] : [join(words.toSpliced(index, 2, next, word))]),
      ...(next === undefined ? [] : [join(words.toSpliced(index, 2, `'${word} ${next}'`))]),
      ...(next === undefined ? [] : [join(words.toSpliced(index, 2, `${word}${next}`))]),
      ...INSERTED.map((inserted) => at(index, word, inserted)),
      at(index, word.slice(0, middle) + word.slice(middle + 1)),
      at(index, word.slice(0, middle) + (word[middle] ?? '') + word.slice(middle)),
      at(index, word.toUpperCase()),
      at(index, word.slice(0, 1).toUpperCase() + word.slice(1)),
      at(
        index,
        word.replaceAll(/[!-~]/gu, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
      ),
      ...(alike === -1
        ? []
        : [
            at(
              index,
              Array.from(word)
                .with(alike, ALIKE[word[alike] ?? ''] ?? '')
                .join(''),
            ),
          ]),
      ...SPACES.map((space) =>
        join([...words.slice(0, index), `${word}${space}${words.slice(index + 1).join(' ')}`]),
      ),
    ];
  });
}

// The oracle: what a text says

interface Word {
  readonly text: string;
  /** Some of it was in quotes. */
  readonly quoted: boolean;
}

/** Words as a shell has them; `undefined` where a quote is open. */
function wordsOf(text: string): readonly Word[] | undefined {
  const words: Word[] = [];
  let open: string | undefined;
  let word: Word | undefined;
  for (const letter of text) {
    if (open !== undefined) {
      if (letter === open) open = undefined;
      else word = { text: (word?.text ?? '') + letter, quoted: true };
    } else if (letter === "'" || letter === '"') {
      open = letter;
      word = { text: word?.text ?? '', quoted: true };
    } else if (letter === ' ' || letter === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = { text: (word?.text ?? '') + letter, quoted: word?.quoted ?? false };
  }
  return open === undefined ? [...words, ...(word === undefined ? [] : [word])] : undefined;
}

interface Meaning {
  readonly tool: string;
  readonly scope: readonly string[];
  readonly json?: JsonValue;
  /** As the clause is written in full; absent: anybody. */
  readonly people?: string;
  readonly lasts?: string;
}

/** What a text says, word by word; `undefined` where it does not say one thing. */
function meaningOf(text: string): Meaning | undefined {
  const [tool = ''] = text.split(/[ \t]/u);
  const rest = text.slice(tool.length).trim();
  const json = /^(\{.*\})(.*)$/su.exec(rest);
  const value = json === null ? undefined : parsed(json[1] ?? '');
  if (json !== null && value === undefined) return undefined;
  const all = wordsOf(json === null ? rest : (json[2] ?? ''));
  if (all === undefined) return undefined;
  const [last, time] = all.slice(-2);
  const isTimed = time !== undefined && last?.text === 'lasts' && !last.quoted && !time.quoted;
  const words = isTimed
    ? all
        .slice(0, -2)
        .map((word, at, some) =>
          at === some.length - 1 ? { ...word, text: word.text.replace(/,$/u, '') } : word,
        )
    : all;
  const from = words.findLastIndex((word) => word.text === 'needs' && !word.quoted);
  const scope = from === -1 ? words : words.slice(0, from);
  const clause = from === -1 ? undefined : words.slice(from + 1);
  const read = clause === undefined ? undefined : peopleOf(clause.map((word) => word.text).join(' '));
  if (clause !== undefined && read === undefined) return undefined;
  return {
    tool,
    scope: scope.map((word) => word.text),
    ...(value !== undefined && { json: value }),
    ...(read !== undefined && read !== 'anybody' && { people: read }),
    ...(isTimed && { lasts: time.text }),
  };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function peopleOf(clause: string): string | undefined {
  const found = /^(\d+)(?: people| of (.*?))?(,? ?not whoever asked)?$/u.exec(clause);
  if (found === null) return undefined;
  const [, need = '', names, besides] = found;
  const listed = names === undefined ? [] : [...new Set(names.split(',').map((name) => name.trim()))];
  const of = listed.length === 0 ? '' : ` of ${listed.join(', ')}`;
  if (need === '1' && of === '' && besides === undefined) return 'anybody';
  return `needs ${need}${of}${besides === undefined ? '' : ', not whoever asked'}`;
}

// The oracle: which calls that is about

interface Call {
  readonly name: string;
  readonly input: JsonValue;
  readonly facts: JsonObject;
  readonly tool?: ToolDescriptor;
}

const MARKS = ['…', '...', '*'];
const FILE_TOOLS = ['read_file', 'write_file', 'edit_file', 'list_files', 'search_files'];

function expected(effect: RuleEffect, meaning: Meaning, call: Call): string {
  const { scope, json } = meaning;
  const server = /^mcp:(.*)\/(.*)$/u.exec(meaning.tool);
  if (server !== null) {
    const [, name = '', tool = ''] = server;
    const isThis = call.tool?.mcp?.server === name && (tool === '*' || call.name === `${name}__${tool}`);
    return isThis && (scope.length === 0 || call.tool.mcp.readOnly === true) ? effect : 'none';
  }
  const isTool = meaning.tool.endsWith('*')
    ? call.name.startsWith(meaning.tool.slice(0, -1))
    : call.name === meaning.tool;
  if (!isTool) return 'none';
  if (json !== undefined) return JSON.stringify(json) === JSON.stringify(call.input) ? effect : 'none';
  if (scope.length === 0) return effect;
  if (meaning.tool === 'run_command') return onCommand(effect, scope, call);
  const [text = ''] = scope;
  if (FILE_TOOLS.includes(meaning.tool) || (meaning.tool !== 'fetch_url' && text.includes('/'))) {
    const path = call.facts['path'];
    return typeof path === 'string' && patternOf(text, effect).test(path) ? effect : 'none';
  }
  const { host } = call.facts;
  if (typeof host !== 'string') return 'none';
  const wanted = text.toLowerCase();
  const fits = wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted;
  return fits ? effect : 'none';
}

function onCommand(effect: RuleEffect, scope: readonly string[], { input }: Call): string {
  const { argv } = input as { readonly argv?: readonly string[] };
  if (argv === undefined) return { allow: 'none', ask: 'ask', deny: 'doubt', review: 'none' }[effect];
  const further = MARKS.includes(scope.at(-1) ?? '');
  const words = further ? scope.slice(0, -1) : scope;
  const begins = words.every((word, index) => argv[index] === word);
  if (effect === 'allow') return begins && (further || argv.length === words.length) ? 'allow' : 'none';
  const byName = words.every((word, index) =>
    index === 0 ? argv[0]?.split('/').at(-1) === word || argv[0] === word : argv[index] === word,
  );
  if (byName) return effect;
  return effect === 'deny' ? 'doubt' : 'ask'; // any program may run another
}

function patternOf(text: string, effect: RuleEffect): RegExp {
  const absolute = text.startsWith('/')
    ? text
    : text.startsWith('~/')
      ? `${PLACE.home}/${text.slice(2)}`
      : `${PLACE.folder}/${text}`;
  const parts: string[] = [];
  for (const part of absolute.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  const source = parts
    .map((part) =>
      part === '**'
        ? '(?:/[^/]+)*'
        : `/${part
            .replaceAll(/[.+^${}()|[\]\\]/gu, String.raw`\$&`)
            .replaceAll('*', '[^/]*')
            .replaceAll('?', '[^/]')}`,
    )
    .join('');
  if (source === '') return effect === 'allow' ? /^\/$/u : /^\//u;
  return effect === 'allow' ? new RegExp(`^${source}$`, 'u') : new RegExp(`^${source}(?:/.*)?$`, 'iu');
}

// Calls that tell two meanings apart

const DESCRIBED = { description: '', inputSchema: {}, effect: 'once' } as const;

function probes(meaning: Meaning, base: Meaning): readonly Call[] {
  const tools = new Set([
    meaning.tool,
    base.tool,
    'pay',
    'read_file',
    'fetch_url',
    'mcp__puppeteer__navigate',
  ]);
  const paths = [meaning, base].flatMap(({ scope: [text = ''] }) => {
    const path = text.replaceAll('**', 'a/b').replaceAll(/[*?]/gu, 'x');
    const whole = path.startsWith('~/')
      ? `${PLACE.home}/${path.slice(2)}`
      : path.replace(/^(?!\/)/u, `${PLACE.folder}/`);
    const real = new URL(`file://${encodeURI(whole.replaceAll('%', '')).replaceAll(/[?#]/gu, 'x')}`).pathname;
    const plain = decodeURI(real).replace(/(?<=.)\/$/u, '');
    return [plain, `${plain}/below`, plain.toUpperCase(), `/elsewhere${plain}`];
  });
  const hosts = [meaning, base].flatMap(({ scope: [text = ''] }) => [
    text.replace('*', 'sub').toLowerCase(),
    text.replace('*.', '').toLowerCase(),
    'other.example.net',
  ]);
  const commands = [meaning, base].flatMap(({ scope }) => {
    const words = MARKS.includes(scope.at(-1) ?? '') ? scope.slice(0, -1) : scope;
    return [words, [...words, 'more'], words.slice(0, -1), [`/bin/${words[0] ?? 'ls'}`, ...words.slice(1)]];
  });
  const facts = { 'working directory': PLACE.folder };
  return [
    ...[...commands, ['ls', '-l'], ['git', 'status'], ['git', 'pull'], ['rm']]
      .filter((argv) => argv.length > 0 && argv[0] !== '')
      .map((argv): Call => ({ name: 'run_command', input: { argv }, facts })),
    ...[...tools].flatMap((name): Call[] => [
      { name, input: {}, facts: {} },
      ...paths.map((path): Call => ({ name, input: { path }, facts: { path } })),
      ...hosts.map((host): Call => ({ name, input: {}, facts: { host } })),
      ...[meaning.json, base.json].flatMap((input): Call[] =>
        input === undefined ? [] : [{ name, input, facts: {} }],
      ),
    ]),
    ...['files', 'file', 'other'].flatMap((server) =>
      ['list', 'lst', 'read'].flatMap((tool) =>
        [true, false].map((readOnly): Call => {
          const name = `${server}__${tool}`;
          return {
            name,
            input: {},
            facts: {},
            tool: { ...DESCRIBED, name, mcp: { server, readOnly } } as ToolDescriptor,
          };
        }),
      ),
    ),
  ];
}

/** The fields of a rule, as words again. */
function saidBy({
  tool,
  scope,
  approvers,
  approvalLasts,
}: ToolRule): Omit<Meaning, 'scope' | 'json'> & { readonly scope: unknown } {
  const people = {
    ...(approvers !== undefined && { people: policyWords(approvers) }),
    ...(approvalLasts !== undefined && { lasts: approvalLasts }),
  };
  switch (scope?.type) {
    case undefined:
      return { tool, scope: [], ...people };
    case 'words':
      return { tool, scope: [...scope.words, ...(scope.further ? ['…'] : [])], ...people };
    case 'path':
      return { tool, scope: [scope.pattern], ...people };
    case 'host':
      return { tool, scope: [`${scope.below ? '*.' : ''}${scope.host}`], ...people };
    case 'call':
      return { tool, scope: scope.input, ...people };
    case 'served':
      return { tool, scope: scope.readOnly ? ['when', 'read-only'] : [], ...people };
    case 'mode':
      throw new Error('no text is a mode');
  }
}

/** The same words as the text has them. */
function saidIn({ tool, scope, json, people, lasts }: Meaning): ReturnType<typeof saidBy> {
  const named = tool.replace(/^mcp:(.*)\/(.*)$/u, '$1__$2').replace(/^mcp__(.+?__)/u, '$1');
  const of = { ...(people !== undefined && { people }), ...(lasts !== undefined && { lasts }) };
  if (json !== undefined) return { tool: named, scope: json, ...of };
  const [text = ''] = scope;
  if (tool === 'run_command') {
    const further = MARKS.includes(scope.at(-1) ?? '');
    return { tool, scope: further ? [...scope.slice(0, -1), '…'] : scope, ...of };
  }
  if (scope.length === 0 || tool.startsWith('mcp:')) return { tool: named, scope, ...of };
  if (FILE_TOOLS.includes(tool) || (tool !== 'fetch_url' && text.includes('/'))) {
    const whole = text.startsWith('/')
      ? text
      : text.startsWith('~/')
        ? `${PLACE.home}${text.slice(1)}`
        : `${PLACE.folder}/${text}`;
    const parts: string[] = [];
    for (const part of whole.split('/'))
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    return { tool, scope: [`/${parts.join('/')}`], ...of };
  }
  return { tool, scope: [text.toLowerCase()], ...of };
}

const BASES = rulesOfGuide();
const ALL = BASES.flatMap((base) => mutations(base).map((mutated) => ({ base, mutated })));

describe('a rule of the guide with one slip (adopter 2)', () => {
  test('there are enough of them', () => {
    expect(BASES.length).toBeGreaterThan(30);
    expect(new Set(ALL.map(({ mutated }) => mutated)).size).toBeGreaterThan(2000);
  });

  test.for(BASES)('%s is accepted as it stands', (text) => {
    expect(check(text, text)).toBeUndefined();
    const [effect = '', ...rest] = text.split(' ');
    expect(readRule(effect as RuleEffect, rest.join(' '), 'f', PLACE).problem).toBeUndefined();
  });

  test('is refused, or means exactly what it says', () => {
    const wrong = killPoints(ALL, 3).flatMap(({ base, mutated }) => check(mutated, base) ?? []);
    expect(wrong).toEqual([]);
  });

  test('never has words about people that it does not read as people', () => {
    const lost = ALL.filter(({ base, mutated }) => {
      const [effect = '', ...rest] = mutated.split(' ');
      const { problem, approvers } = readRule(effect as RuleEffect, rest.join(' '), 'f', PLACE);
      const wanted = readBase(base).approvers;
      return problem === undefined && wanted !== undefined && approvers === undefined && mentions(mutated);
    });
    expect(lost).toEqual([]);
  });
});

/** Something of a clause about people is still there, in some spelling. */
function mentions(text: string): boolean {
  return / of\b|whoever|asked|@|needs (?!1$)/iu.test(text.normalize('NFKC'));
}

function readBase(text: string): ToolRule {
  const [effect = '', ...rest] = text.split(' ');
  return readRule(effect as RuleEffect, rest.join(' '), 'f', PLACE);
}

/** What is wrong with a text that was accepted; `undefined` where nothing is, or where it was refused. */
function check(text: string, base: string): string | undefined {
  const [effect = '', ...rest] = text.split(' ');
  const said = rest.join(' ');
  const rule = readRule(effect as RuleEffect, said, 'f', PLACE);
  const meaning = meaningOf(said.trim());
  const first = meaningOf(base.split(' ').slice(1).join(' ')) ?? { tool: 'run_command', scope: [] };
  if (rule.problem !== undefined) {
    const allowed = probes(meaning ?? first, first).find((call) => effectOf(rule, call) === 'allow');
    return allowed === undefined ? undefined : `refused, and allows: ${text} on ${JSON.stringify(allowed)}`;
  }
  if (meaning === undefined) return `accepted, and says no one thing: ${text}`;
  const [read, wanted] = [saidBy(rule), saidIn(meaning)].map((one) => JSON.stringify(one));
  if (read !== wanted) return `reads otherwise: ${text} as ${String(read)}, says ${String(wanted)}`;
  for (const call of probes(meaning, first)) {
    const [found, due] = [effectOf(rule, call), expected(effect as RuleEffect, meaning, call)];
    if (found !== due) return `${text} on ${JSON.stringify(call)}: ${found}, says ${due}`;
  }
  return undefined;
}

function effectOf(rule: ToolRule, { name, input, facts, tool }: Call): string {
  const described = tool ?? ({ ...DESCRIBED, name } as ToolDescriptor);
  const known = servedTool(described);
  const bound = known === undefined ? rule : { ...rule, served: [known] };
  return judgeCall([bound], { name, input, payload: { facts }, tool: described })?.effect ?? 'none';
}
