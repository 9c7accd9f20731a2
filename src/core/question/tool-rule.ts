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

/** The effect of a rule on the calls that it matches. */
export type RuleEffect = 'allow' | 'ask' | 'deny' | 'review';

/** A rule about tool calls. */
export interface ToolRule {
  readonly effect: RuleEffect;
  /** Tool name: `*` matches every tool; a trailing `*` matches a prefix. */
  readonly tool: string;
  /** The calls of the tool that the rule matches. If absent, all of them. */
  readonly scope?: RuleScope;
  /** Required approvers, for an ask rule. If absent, any one person can approve. */
  readonly approvers?: ApprovalPolicy;
  /** How long an approval is valid, for an ask rule: `15m`. */
  readonly approvalLasts?: string;
  /**
   * Why the rule is unreadable or matches nothing. If set, every call that the rule might match requires an
   * answer.
   */
  readonly problem?: string;
  /** The rule as written, with its effect: `deny run_command git push`. */
  readonly text: string;
  /** Where the rule was set: a file and line, or a flag. */
  readonly from: string;
  /** The folder that the configuration limits the rule to. If absent, the rule applies everywhere. */
  readonly folder?: string;
  /** Additional limits of a rule that was created at a question. */
  readonly bound?: RuleBound;
  /** Definitions of the MCP tools for which the rule was created. An `allow` rule applies to no others. */
  readonly served?: readonly ServedTool[];
}

/** The tool and displayed content to which a rule is limited. */
interface RuleBound {
  readonly toolDigest: string;
  /** When the rule expires (ISO 8601). If absent, it does not expire. */
  readonly until?: string;
  /** The grant whose uses the rule consumes; absent if the rule does not belong to a grant. */
  readonly grant?: string;
  /** Content that a later call must also display for the rule to apply; absent if there is none. */
  readonly shown?: ShownAgain;
}

/** Content that was shown when a rule was created: the warnings and, for some scopes, details of the call. */
export interface ShownAgain {
  /** Details that must match: all of them, a command's folder and program, or none. */
  readonly facts: 'all' | 'place' | 'none';
  readonly digest: string;
}

/** The tool whose rules contain command words. */
const COMMAND_TOOL = 'run_command';

/**
 * Tools whose rules contain paths. In a rule for a tool other than these and `fetch_url`, text with a `/` is
 * a path, and text without one is a host.
 */
const PATH_TOOLS: ReadonlySet<string> = new Set([
  'read_file',
  'write_file',
  'edit_file',
  'list_files',
  'search_files',
]);
const HOST_TOOL = 'fetch_url';

/**
 * Parses a rule such as `fetch_url`, `*`, `github__*`, `mcp:github/* when read-only`, `run_command git push
 * …`, `read_file src/**`, `fetch_url *.example.org` or `pay {"to":"ann"}`. An ask rule may add `needs 2 of
 * @ops, not whoever asked, lasts 15m`. All rules are parsed by this function. An unreadable rule asks about
 * every call of its tool, or of every tool if the tool is unreadable too. If the approvers are unreadable, no
 * one can approve (G35).
 */
export function readRule(effect: RuleEffect, given: string, from: string, place?: RulePlace): ToolRule {
  const { before, approvers, approvalLasts, problem } = splitApproval(given.trim());
  const { text: _before, ...read } = readCalls(effect, before, from, place);
  const slip = slipIn(before, given);
  const hasClause = before !== given.trim(); // also `needs 1`, which asks for nobody in particular
  const found = hasClause && effect !== 'ask' ? ONLY_ASK : problem;
  const review = effect === 'review' && read.scope?.type !== 'served' ? ONLY_SERVED : undefined;
  const why = slip?.why ?? read.problem ?? found ?? review;
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

const ONLY_SERVED =
  'only tools of a server are given to a reviewer by a rule: `review mcp:<server>/*`; a tool of yours says `reviewable`';

/**
 * Returns the reason that a rule would be misread; `undefined` if there is none. `people`: the misread text
 * is about approvers, so no one can approve.
 */
function slipIn(
  before: string,
  given: string,
): { readonly why: string; readonly people: boolean } | undefined {
  const isCall = /^[^ \t]*[ \t]+\{/u.test(before);
  const [odd] = ODD.exec(isCall ? given.slice(before.length) : given) ?? [];
  if (odd !== undefined) {
    const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return {
      why: `it contains an invisible character or a non-standard space: U+${code}`,
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
      : `the part about ${people ? 'people' : 'time'} is not recognized; write it at the end, without quotes, for example \`${meant}\``;
  return {
    why: `${why}; if these words are part of the command or path, write the whole input as JSON`,
    people,
  };
}

/** Matches invisible characters, and whitespace other than spaces and tabs. */
const ODD = /[^\S \t]|[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}](?<!\t)/u;

/** Parses the part of a rule that specifies the tool and its calls. */
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
    return `\`${tool}\` is not a tool name: write what it matches after a space, without parentheses`;
  if (tool === '*') return effect === 'allow' ? 'allow rules must name a tool' : undefined;
  if (isNamePattern(tool)) {
    if (effect === 'allow' && !tool.includes('__'))
      return `allow rules must name a tool; \`${tool}\` may be any tool`;
    return undefined;
  }
  return isLegalToolName(tool) ? undefined : `not a valid tool name: \`${tool}\``;
}

/** Parses the text after a tool's name into a scope. Returns an error message if the text is invalid. */
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
  if (tool.endsWith('*')) return 'a JSON input requires a single tool name';
  const json = parseStrictJson(text);
  if (!json.ok) return `the input is not valid JSON: ${json.message}`;
  return isJsonObject(json.value) ? { type: 'call', input: json.value } : 'the input must be a JSON object';
}

/** Joins a tool name and the words that a shell passed into the text of a rule, with quotes if needed. */
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

/** Describes a rule: `allows commands that start with git status`. */
export function ruleInWords({ effect, tool, scope }: ToolRule): string {
  return `${VERBS[effect]} ${scopeInWords(scope, tool, isGrant(effect))}`;
}

const VERBS: Readonly<Record<RuleEffect, string>> = {
  allow: 'allows',
  ask: 'asks about',
  deny: 'denies',
  review: 'gives a reviewer',
};

/**
 * Whether a rule with this effect lets calls proceed without asking a person. Such rules are matched
 * strictly.
 */
export function isGrant(effect: RuleEffect): boolean {
  return effect === 'allow' || effect === 'review';
}
