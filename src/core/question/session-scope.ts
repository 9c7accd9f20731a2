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
 * The later calls covered by an approval for the session. `shown` is a digest of the content that a later
 * call must also display to be covered: the warnings, together with all details of an exact call or the
 * folder and program of a command.
 */
export type SessionScope = { readonly shown: string } & (
  | { readonly type: 'call'; readonly input: JsonValue }
  /**
   * Commands that start with these words. `folder` is the folder in which they run. If it is absent, only
   * `shown` covers the folder.
   */
  | { readonly type: 'words'; readonly words: readonly string[]; readonly folder?: string }
  /** Files in a folder and its subfolders, by their real path. */
  | { readonly type: 'folder'; readonly folder: string }
  | { readonly type: 'host'; readonly host: string }
);

/** The grant that a rule belongs to, and the number of uses in total and remaining. */
export interface GrantShare {
  /** The question that created the grant, and the rule's number within the grant: `i7.1`. */
  readonly id: string;
  readonly of: number;
  readonly left: number;
  /** `turn`: the grant ends with the turn. If absent, it ends with the session. */
  readonly until?: 'turn';
}

/** A rule that allows calls for the rest of a session. */
export interface SessionRule {
  readonly effect: 'allow';
  readonly tool: string;
  /** Digest of the tool's descriptor; a change to the tool voids the rule. */
  readonly toolDigest: string;
  /** For an MCP tool, its description when it was allowed. */
  readonly served?: ServedTool;
  /** The calls that the rule matches. If absent, all calls of the tool. */
  readonly scope?: SessionScope;
  /** When the approval expires (ISO 8601). If absent, it is valid until the end of the session. */
  readonly until?: string;
  /** The rule's grant. If absent, the rule does not belong to a grant, and its uses are unlimited. */
  readonly grant?: GrantShare;
}

/** Scope of an `always` approval. `tool`: every later call, with any input. */
export type SessionSize = SessionScope['type'] | 'tool';

/** Every scope, narrowest first. */
export const SESSION_SIZES: readonly SessionSize[] = ['call', 'words', 'folder', 'host', 'tool'];

/**
 * The properties of a session rule that its text shows. A rule without a scope matches every call of the
 * tool.
 */
interface Scoped {
  readonly tool: string;
  readonly scope?: SessionScope;
  readonly until?: string;
  readonly grant?: GrantShare;
}

/** Returns the scope for an `always` approval; `undefined` if the scope is not available for this call. */
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

/** Adds the working folder to a command scope, so that the scope can be shown without its question. */
export function placedScope(scope: SessionScope, payload: JsonValue): SessionScope {
  const { 'working directory': folder } = factsShown(payload);
  return scope.type === 'words' && typeof folder === 'string' ? { ...scope, folder } : scope;
}

/**
 * Formats the rule: `always read_file below /data`. A grant's rule starts with `granted` instead of `always`
 * and includes its remaining uses.
 */
export function sessionRuleText({ tool, scope, until, grant }: Scoped): string {
  const time = until === undefined ? '' : `, until ${until}`;
  const calls = { tool, ...(scope && { scope }) };
  if (grant === undefined) return `${callsInWords(calls, 'always')}${time}`;
  const turn = grant.until === undefined ? '' : ', in this turn';
  return `${callsInWords(calls, 'granted')} (${grant.left} of ${grant.of} left${turn})${time}`;
}

/** Formats a grant's rule without its remaining uses: `granted run_command npm test …`. */
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

/** Returns the details of a call that must stay the same for a rule with this scope. */
function factsOfSize(size: SessionScope['type']): ShownAgain['facts'] {
  return size === 'call' ? 'all' : size === 'words' ? 'place' : 'none';
}

/**
 * Returns the digest of the content that a later call must also display. It excludes the diff and the tool's
 * message, which may differ each time.
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

/** Converts a session rule to a tool rule that applies only to the tool and content that were shown. */
export function asToolRule(rule: SessionRule): ToolRule {
  const { tool, toolDigest, scope, served, until, grant } = rule;
  return {
    effect: 'allow',
    tool,
    ...(scope && { scope: asRuleScope(scope) }),
    text: grant === undefined ? sessionRuleText(rule) : grantedText(rule),
    from: grant === undefined ? 'a question in this session' : `grant ${grant.id}`,
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

/** Returns the rules without those for one tool. Fails if there are none. */
export function rulesWithout(
  rules: readonly SessionRule[],
  name: string,
  illegal: (why: string) => never,
): readonly SessionRule[] {
  const left = rules.filter(({ tool }) => tool !== name);
  return left.length === rules.length ? illegal(`there is no rule for \`${name}\``) : left;
}
