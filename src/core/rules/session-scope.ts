import type { JsonValue } from '../json/index.js';
import { digestOf, membersOf } from '../json/index.js';
import { plainLine } from '../text/index.js';

import { factsShown, notByPath, notByPattern, notByWords } from './call-facts.js';
import { FURTHER } from './command-scope.js';
import { commandWords, wantsNetwork } from './command-words.js';
import { INPUT_COLUMNS } from './rule-scope.js';
import type { RuledCall } from './ruled-call.js';
import type { ServedTool } from './served-tool.js';
import type { ShownAgain } from './tool-rule.js';
import { firstWords } from './programs.js';

/**
 * Which later calls an approval for the rest of a session is about. `shown` names what a call must show again: its
 * warnings, and for an exact call its facts too.
 */
export type SessionScope = { readonly shown: string } & (
  | { readonly type: 'call'; readonly input: JsonValue }
  /** Commands that begin with these words. */
  | { readonly type: 'words'; readonly words: readonly string[] }
  /** Files below a folder, by their real path. */
  | { readonly type: 'folder'; readonly folder: string }
  | { readonly type: 'host'; readonly host: string }
);

/** An approval that the person gave for the rest of a session. */
export interface SessionRule {
  readonly effect: 'allow';
  readonly tool: string;
  /** Fingerprint of the tool's descriptor; a tool that changed voids the rule. */
  readonly toolDigest: string;
  /** Of a tool of a server: what was allowed, in words. */
  readonly served?: ServedTool;
  /** Absent: every call of the tool. */
  readonly scope?: SessionScope;
  /** The time until which the approval that made it counts, ISO 8601. Absent: as long as the session. */
  readonly until?: string;
}

/** The extent of an `always`. `tool`: every later call, whatever its input. */
export type SessionSize = SessionScope['type'] | 'tool';

/** Every size, the smallest first. */
export const SESSION_SIZES: readonly SessionSize[] = ['call', 'words', 'folder', 'host', 'tool'];

/** The calls that a rule of a session is about; without a scope, every call of the tool. */
interface Scoped {
  readonly tool: string;
  readonly scope?: SessionScope;
  readonly until?: string;
}

/** Gives the scope of an `always` of this size; `undefined` where there is no such thing at this call. */
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

/** The rule in words: `always read_file below /data`. It begins with `always` and the name of the tool. */
export function sessionRuleText({ tool, scope, until }: Scoped): string {
  const time = until === undefined ? '' : `, until ${until}`;
  return `${callsInWords({ tool, ...(scope && { scope }) })}${time}`;
}

function callsInWords({ tool, scope }: Scoped): string {
  const name = `always ${tool}`;
  switch (scope?.type) {
    case undefined:
      return name;
    case 'call':
      return `${name}, exactly this call: ${plainLine(JSON.stringify(scope.input), INPUT_COLUMNS)}`;
    case 'words':
      return `${name} ${scope.words.join(' ')} ${FURTHER}`;
    case 'folder':
      return `${name} below ${scope.folder}`;
    case 'host':
      return `${name} at ${scope.host}`;
  }
}

/** The facts that must be shown again for a rule of a size. */
export function factsOfSize(size: SessionScope['type']): ShownAgain['facts'] {
  return size === 'call' ? 'all' : size === 'words' ? 'place' : 'none';
}

/** Gives what must be shown again. The diff, and what a tool says besides, may differ each time: neither is in it. */
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
