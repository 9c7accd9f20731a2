import { isJsonObject } from '../data/json.js';
import { parseStrictJson } from '../data/strict-json.js';
import { isLegalToolName } from '../data/check-messages.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import { approvalWordsAt, misreadClause, splitApproval } from './rule-people.js';
import { NOBODY } from './approvers.js';
import { FURTHER, isFurther, readCommandScope, wordsProblem, quotedWord } from './command-words.js';
import { readHostPattern } from './host-pattern.js';
import type { RulePlace } from './path-pattern.js';
import { readPathPattern } from './path-pattern.js';
import type { RuleScope } from './rule-scope.js';
import { oneWord, quotedPath, scopeInWords } from './rule-scope.js';
import { isServedName, readServed } from './served-tool.js';
import type { ServedTool } from './served-tool.js';

/** The effect of a rule on the calls that it is about. */
export type RuleEffect = 'allow' | 'ask' | 'deny';

/** A rule about calls of tools, as somebody wrote it down. */
export interface ToolRule {
  readonly effect: RuleEffect;
  /** `*` is every tool; with `*` at its end it is every tool that begins so. */
  readonly tool: string;
  /** The calls that it is about. Absent: every call of the tool. */
  readonly scope?: RuleScope;
  /** Of a rule that asks: the people whose word such a call takes. Absent: one, and anybody. */
  readonly approvers?: ApprovalPolicy;
  /** Of a rule that asks: the time for which an approval of such a call counts, `15m`. */
  readonly approvalLasts?: string;
  /** The reason why it cannot be read, or is about nothing; whatever it may be about is asked then. */
  readonly problem?: string;
  /** As it was written, with its effect: `deny run_command git push`. */
  readonly text: string;
  /** The file and line, or the flag, in which it stands. */
  readonly from: string;
  /** The limits of a rule that was made at a question, beside its scope. */
  readonly bound?: RuleBound;
  /** The tools of servers that it was made for, as they were then: an `allow` counts for no other. */
  readonly served?: readonly ServedTool[];
}

/** The tool, and what was shown of it, when a rule was made. */
interface RuleBound {
  readonly toolDigest: string;
  /** The time until which it counts, ISO 8601; absent: no end. */
  readonly until?: string;
  /** The things that must be shown again; absent: anything. */
  readonly shown?: ShownAgain;
}

/** The things that were shown when a rule was made: warnings, and facts too where they count. */
export interface ShownAgain {
  /** All of them; of a command, where it runs and which program that is; or none. */
  readonly facts: 'all' | 'place' | 'none';
  readonly digest: string;
}

/** The tool whose rules name the words of a command. */
const COMMAND_TOOL = 'run_command';

/** Tools whose rules name paths, and hosts; of others, a text with `/` is a path and one without is a host. */
const PATH_TOOLS: ReadonlySet<string> = new Set([
  'read_file',
  'write_file',
  'edit_file',
  'list_files',
  'search_files',
]);
const HOST_TOOL = 'fetch_url';

/**
 * Reads `fetch_url`, `*`, `github__*`, `mcp:github/* when read-only`, `run_command git push …`, `read_file src/**`, `fetch_url *.example.org` or
 * `pay {"to":"ann"}`, and behind it, where it asks, `needs 2 of @ops, not whoever asked, lasts 15m`: the one reader of rules. What
 * cannot be read is a rule too: it asks, about the tool that it names, or about every tool, and where the people cannot
 * be read nobody agrees (G35).
 */
export function readRule(effect: RuleEffect, given: string, from: string, place?: RulePlace): ToolRule {
  const { before, approvers, approvalLasts, problem } = splitApproval(given.trim());
  const { text: _before, ...read } = readCalls(effect, before, from, place);
  const slip = slipIn(before, given);
  const hasClause = before !== given.trim(); // also `needs 1`, which asks for nobody in particular
  const found = hasClause && effect !== 'ask' ? ONLY_ASK : problem;
  const why = slip?.why ?? read.problem ?? found;
  const people = slip?.people === true && effect === 'ask' ? NOBODY : approvers;
  return {
    ...read,
    text: `${effect} ${given}`,
    ...(people !== undefined && { approvers: people }),
    ...(approvalLasts !== undefined && { approvalLasts }),
    ...(why !== undefined && { problem: why }),
  };
}

const ONLY_ASK =
  'only a rule that asks says whose word a call takes, and how long it lasts: `ask <tool> needs 2 of @ops, lasts 15m`';

/** What would be read as something else than it says; `people`: it is about people, so that nobody agrees. */
function slipIn(
  before: string,
  given: string,
): { readonly why: string; readonly people: boolean } | undefined {
  const isCall = /^[^ \t]*[ \t]+\{/u.test(before);
  const [odd] = ODD.exec(isCall ? given.slice(before.length) : given) ?? [];
  if (odd !== undefined) {
    const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return {
      why: `it has a character that cannot be seen, or a space that is not one: U+${code}`,
      people: false,
    };
  }
  const clause = misreadClause(before.replace(/^\S+/u, '').replace(/\{.*\}/su, ''));
  if (clause === undefined) return undefined;
  const { meant, about } = clause;
  const people = about === 'people';
  if (about === 'served' && isServedName(before)) return undefined; // there it is read, or refused
  const why =
    about === 'served'
      ? `\`${meant}\` is only for tools of a server: \`mcp:<server>/* ${meant}\``
      : `it has words about ${people ? 'people' : 'time'} that would not be read as such; write them at its end, without quotes, like \`${meant}\``;
  return { why: `${why} (a command or path with these words: name the whole input as JSON)`, people };
}

/** Invisible characters, and every space but the usual two. */
const ODD = /[^\S \t]|[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}](?<!\t)/u;

/** Reads the part of a rule that says which calls it is about. */
function readCalls(effect: RuleEffect, text: string, from: string, place?: RulePlace): ToolRule {
  const [tool = ''] = text.split(/[ \t]+/u);
  const words = text.slice(tool.length).trim();
  if (isServedName(tool)) {
    const read = readServed(tool, words);
    const rest = { effect, text, from };
    if (typeof read === 'string') {
      const alone = readServed(tool, '');
      return { ...rest, tool: typeof alone === 'string' ? '*' : alone.tool, problem: read };
    }
    const { tool: named, ...scope } = read;
    return { ...rest, tool: named, scope: { type: 'served', ...scope } };
  }
  const isNamed = isLegalToolName(tool);
  const about = {
    effect,
    tool: isNamed || isNamePattern(tool) ? tool : '*',
    text,
    from,
  };
  const problem = nameProblem(effect, tool, words);
  if (problem !== undefined) return { ...about, problem };
  if (words === '') return about;
  const read = readScope(tool, words, place);
  return typeof read === 'string' ? { ...about, problem: read } : { ...about, scope: read };
}

function isNamePattern(tool: string): boolean {
  return tool.length > 1 && tool.endsWith('*') && isLegalToolName(tool.slice(0, -1));
}

function nameProblem(effect: RuleEffect, tool: string, words: string): string | undefined {
  if (/^[A-Za-z_]+\(.*\)$/u.test(`${tool} ${words}`.trim()))
    return `\`${tool}\` is not a tool name: write what it matches after a space, without brackets`;
  if (tool === '*') return effect === 'allow' ? 'allow rules must name a tool' : undefined;
  if (isNamePattern(tool)) {
    if (effect === 'allow' && !tool.includes('__'))
      return `allow rules must name a tool; \`${tool}\` may be any tool`;
    return undefined;
  }
  return isLegalToolName(tool) ? undefined : `not a valid tool name: \`${tool}\``;
}

/** The calls that the text behind a name is about, or why it is about none. */
function readScope(tool: string, text: string, place: RulePlace | undefined): RuleScope | string {
  if (text.startsWith('{')) return readCall(tool, text);
  if (tool === COMMAND_TOOL) {
    const command = readCommandScope(text);
    return command === undefined
      ? wordsProblem(text)
      : { type: 'words', ...command, ...(place !== undefined && { folder: place.folder }) };
  }
  const isOwn = tool !== HOST_TOOL && !PATH_TOOLS.has(tool);
  // Of a tool that nobody knows a bare word is no host: it is a slip.
  if (isOwn && !/[/.:]|^localhost$/u.test(text)) return FORMS;
  const word = oneWord(text);
  if (typeof word !== 'string') return word.problem;
  if (PATH_TOOLS.has(tool) || (isOwn && word.includes('/'))) {
    const path = readPathPattern(word, place);
    return typeof path === 'string' ? path : { type: 'path', ...path };
  }
  const host = readHostPattern(word);
  return typeof host === 'string' ? host : { type: 'host', ...host };
}

const FORMS =
  'only `run_command` accepts a command; other tools accept a path with `/`, a host, or a JSON input';

function readCall(tool: string, text: string): RuleScope | string {
  if (tool.endsWith('*')) return 'a JSON input requires one tool';
  const json = parseStrictJson(text);
  if (!json.ok) return `the input is not valid JSON: ${json.message}`;
  return isJsonObject(json.value) ? { type: 'call', input: json.value } : 'the input must be a JSON object';
}

/** The text of a rule whose words were given one by one, as a shell gives them. */
export function ruleText(tool: string, words: readonly string[]): string {
  const [first = ''] = words;
  if (first.startsWith('{')) return [tool, ...words].join(' ');
  const own = words.slice(0, approvalWordsAt(words));
  const quoted = own.map((word, at) => {
    if (tool !== COMMAND_TOOL) return quotedPath(word);
    return at === own.length - 1 && isFurther(word) ? FURTHER : quotedWord(word);
  });
  return [tool, ...quoted, ...words.slice(own.length)].join(' ');
}

/** Says what a rule does: `allows commands that begin with git status`. */
export function ruleInWords({ effect, tool, scope }: ToolRule): string {
  return `${VERBS[effect]} ${scopeInWords(scope, tool, effect === 'allow')}`;
}

const VERBS: Readonly<Record<RuleEffect, string>> = { allow: 'allows', ask: 'asks about', deny: 'denies' };
