import type { JsonValue } from '../data/json.js';
import { digestOf } from '../data/digest.js';
import { membersOf } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';

import { factsShown, notByPath, notByPattern, notByWords } from './call-facts.js';
import { FURTHER, commandWords, wantsNetwork, firstWords } from './command-words.js';
import { INPUT_COLUMNS } from './rule-scope.js';
import type { RuledCall } from './call-facts.js';
import type { ServedTool } from './served-tool.js';
import type { ShownAgain, ToolRule } from './tool-rule.js';
import { below } from './path-pattern.js';
import type { RuleScope } from './rule-scope.js';

/**
 * Later calls covered by an approval for the session. `shown` is a digest of what a later call must show again: the
 * warnings, and for an exact call also its details.
 */
export type SessionScope = { readonly shown: string } & (
  | { readonly type: 'call'; readonly input: JsonValue }
  /** Commands that start with these words. `folder`: the one that they run in; absent: it is part of `shown` only. */
  | { readonly type: 'words'; readonly words: readonly string[]; readonly folder?: string }
  /** Files below a folder, by their real path. */
  | { readonly type: 'folder'; readonly folder: string }
  | { readonly type: 'host'; readonly host: string }
);

/** The grant that a rule belongs to, and its uses. */
export interface GrantShare {
  /** The question that made the grant, and the rule's number in it: `i7.1`. */
  readonly id: string;
  readonly of: number;
  readonly left: number;
  /** `turn`: it ends with the turn. Absent: it ends with the session. */
  readonly until?: 'turn';
}

/** An approval for the rest of a session. */
export interface SessionRule {
  readonly effect: 'allow';
  readonly tool: string;
  /** Digest of the tool's descriptor; a changed tool voids the rule. */
  readonly toolDigest: string;
  /** For a server's tool: its allowed description. */
  readonly served?: ServedTool;
  /** Absent: every call of the tool. */
  readonly scope?: SessionScope;
  /** ISO 8601: end of the approval's validity. Absent: the session's. */
  readonly until?: string;
  /** Absent: the rule does not belong to a grant, and its uses are unlimited. */
  readonly grant?: GrantShare;
}

/** Scope of an `always`. `tool`: every later call, with any input. */
export type SessionSize = SessionScope['type'] | 'tool';

/** Every scope, narrowest first. */
export const SESSION_SIZES: readonly SessionSize[] = ['call', 'words', 'folder', 'host', 'tool'];

/** The calls that a rule of a session matches; without a scope, every call of the tool. */
interface Scoped {
  readonly tool: string;
  readonly scope?: SessionScope;
  readonly until?: string;
  readonly grant?: GrantShare;
}

/** Returns the scope of an `always`; `undefined` if it does not apply to this call. */
export function sessionScope(
  size: Exclude<SessionSize, 'tool'>,
  { name, input, payload }: RuledCall & { readonly payload: JsonValue },
): SessionScope | undefined {
  const facts = factsShown(payload);
  const shown = shownDigest(payload, { facts: factsOfSize(size) });
  switch (size) {
    case 'call':
      return { type: 'call', input, shown };
    case 'words': {
      if (name !== 'run_command' || wantsNetwork(input) || notByWords(facts) !== undefined) return undefined;
      const given = commandWords(input).words ?? [];
      const words = firstWords(given);
      // A rule that would not count for this very call is no offer.
      const isNone = words === undefined || notByPath(facts, given.slice(words.length)) !== undefined;
      return isNone ? undefined : { type: 'words', words, shown };
    }
    case 'folder': {
      const path = facts['path'];
      if (typeof path !== 'string' || !path.startsWith('/') || notByPattern(facts) !== undefined)
        return undefined;
      const folder = path.slice(0, path.lastIndexOf('/'));
      return folder === '' ? undefined : { type: 'folder', folder, shown };
    }
    case 'host': {
      const { host } = facts;
      return typeof host === 'string' && notByPattern(facts) === undefined
        ? { type: 'host', host, shown }
        : undefined;
    }
  }
}

/** A scope that says in its words where commands run, for those who do not see a question about one of them. */
export function placedScope(scope: SessionScope, payload: JsonValue): SessionScope {
  const { 'working directory': folder } = factsShown(payload);
  return scope.type === 'words' && typeof folder === 'string' ? { ...scope, folder } : scope;
}

/**
 * Formats the rule: `always read_file below /data`. It starts with `always` and the tool's name; one of a grant with
 * `granted`, and it says how many uses are left.
 */
export function sessionRuleText({ tool, scope, until, grant }: Scoped): string {
  const time = until === undefined ? '' : `, until ${until}`;
  const calls = { tool, ...(scope && { scope }) };
  if (grant === undefined) return `${callsInWords(calls, 'always')}${time}`;
  const turn = grant.until === undefined ? '' : ', in this turn';
  return `${callsInWords(calls, 'granted')} (${grant.left} of ${grant.of} left${turn})${time}`;
}

/** The rule of a grant as an answer names it, whatever is left of it: `granted run_command npm test …`. */
export function grantedText({ tool, scope }: Scoped): string {
  return callsInWords({ tool, ...(scope && { scope }) }, 'granted');
}

function callsInWords({ tool, scope }: Scoped, word: 'always' | 'granted'): string {
  const name = `${word} ${tool}`;
  switch (scope?.type) {
    case undefined:
      return name;
    case 'call':
      return `${name}, exactly this call: ${plainLine(JSON.stringify(scope.input), INPUT_COLUMNS)}`;
    case 'words':
      return `${name} ${scope.words.join(' ')} ${FURTHER}${scope.folder === undefined ? '' : ` in ${scope.folder}`}`;
    case 'folder':
      return `${name} below ${scope.folder}`;
    case 'host':
      return `${name} at ${scope.host}`;
  }
}

/** The details that must be unchanged for a rule of this size. */
function factsOfSize(size: SessionScope['type']): ShownAgain['facts'] {
  return size === 'call' ? 'all' : size === 'words' ? 'place' : 'none';
}

/**
 * Digest of what must be shown again. Excludes the diff and the tool's message, which may differ each time.
 */
export function shownDigest(payload: JsonValue, { facts }: Pick<ShownAgain, 'facts'>): string {
  const { warnings = null } = membersOf(payload);
  const all = factsShown(payload);
  switch (facts) {
    case 'all':
      return digestOf([all, warnings]);
    case 'place': {
      // The words of a command mean what they meant there: in that folder, and the program that was found then.
      const { 'working directory': folder = null, program = null, shell = null } = all;
      return digestOf([{ folder, program, shell }, warnings]);
    }
    case 'none':
      return digestOf([warnings]);
  }
}

/** Converts a session rule for judging: it applies to the tool and content as shown. */
export function asToolRule(rule: SessionRule): ToolRule {
  const { tool, toolDigest, scope, served, until, grant } = rule;
  return {
    effect: 'allow',
    tool,
    ...(scope && { scope: asRuleScope(scope) }),
    text: grant === undefined ? sessionRuleText(rule) : grantedText(rule),
    from: grant === undefined ? 'a question of this session' : `grant ${grant.id}`,
    ...(served && { served: [served] }),
    bound: {
      toolDigest,
      ...(until !== undefined && { until }),
      ...(grant !== undefined && { grant: grant.id }),
      ...(scope && { shown: { facts: factsOfSize(scope.type), digest: scope.shown } }),
    },
  };
}

function asRuleScope(scope: SessionScope): RuleScope {
  switch (scope.type) {
    case 'call':
      return { type: 'call', input: scope.input };
    case 'words': {
      const { words, folder } = scope;
      return { type: 'words', words, further: true, ...(folder !== undefined && { folder }) };
    }
    case 'folder': {
      const { folder } = scope;
      return { type: 'path', ...below(folder, { folder, home: folder }) };
    }
    case 'host':
      return { type: 'host', host: scope.host, below: false };
  }
}

/** Leaves out the rules for a tool. */
export function rulesWithout(
  rules: readonly SessionRule[],
  name: string,
  illegal: (why: string) => never,
): readonly SessionRule[] {
  const left = rules.filter(({ tool }) => tool !== name);
  return left.length === rules.length ? illegal(`there is no rule for \`${name}\``) : left;
}
