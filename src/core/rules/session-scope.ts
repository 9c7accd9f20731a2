import type { JsonValue } from '../json/index.js';
import { digestOf, isJsonObject, jsonEquals } from '../json/index.js';
import { plainLine } from '../text/index.js';

import { factsShown, NOT_BY_WORDS } from './call-facts.js';
import { FURTHER } from './command-scope.js';
import { commandWords, wantsNetwork } from './command-words.js';

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

/** How much an `always` approves. `tool`: every later call, whatever its input. */
export type SessionSize = SessionScope['type'] | 'tool';

/** Every size, the smallest first. */
export const SESSION_SIZES: readonly SessionSize[] = ['call', 'words', 'folder', 'host', 'tool'];

/** What a rule of a session is about; without a scope, every call of the tool. */
interface Scoped {
  readonly tool: string;
  readonly scope?: SessionScope;
}

/** A question about a call, as it is shown. */
export interface ShownCall {
  readonly name: string;
  readonly input: JsonValue;
  readonly payload: JsonValue;
}

/** What `always` in this size is about; `undefined` where there is no such thing at this call. */
export function sessionScope(
  size: Exclude<SessionSize, 'tool'>,
  { name, input, payload }: ShownCall,
): SessionScope | undefined {
  const facts = factsShown(payload);
  const shown = shownDigest(size, payload);
  switch (size) {
    case 'call':
      return { type: 'call', input, shown };
    case 'words': {
      if (name !== 'run_command') return undefined;
      const [program, second] = commandWords(input).words ?? [];
      if (program === undefined) return undefined;
      const isCommand = second !== undefined && /^[a-z][a-z-]*$/u.test(second);
      return { type: 'words', words: isCommand ? [program, second] : [program], shown };
    }
    case 'folder': {
      const path = facts['path'];
      if (typeof path !== 'string' || !path.startsWith('/')) return undefined;
      const folder = path.slice(0, path.lastIndexOf('/'));
      return folder === '' ? undefined : { type: 'folder', folder, shown };
    }
    case 'host': {
      const { host } = facts;
      return typeof host === 'string' ? { type: 'host', host, shown } : undefined;
    }
  }
}

/** True where a rule of the session is about this call, for what is shown of it now. */
export function coversCall({ tool, scope }: Scoped, { name, input, payload }: ShownCall): boolean {
  if (tool !== name) return false;
  if (scope === undefined) return true;
  if (scope.shown !== shownDigest(scope.type, payload)) return false;
  const facts = factsShown(payload);
  switch (scope.type) {
    case 'call':
      return jsonEquals(scope.input, input);
    case 'words': {
      const { words } = commandWords(input);
      const isPlain = words !== undefined && !wantsNetwork(input) && facts[NOT_BY_WORDS] === undefined;
      return isPlain && scope.words.every((word, at) => words[at] === word);
    }
    case 'folder': {
      const { path } = facts;
      return typeof path === 'string' && path.startsWith(`${scope.folder}/`);
    }
    case 'host':
      return facts['host'] === scope.host;
  }
}

/** The rule in words: `always read_file below /data`. It begins with `always` and the name of the tool. */
export function sessionRuleText({ tool, scope }: Scoped): string {
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

/** How much of an input stands in the name of a rule, in columns. */
const INPUT_COLUMNS = 120;

/** The diff, and what a tool says besides, may be another one each time: neither is in it. */
function shownDigest(size: SessionScope['type'], payload: JsonValue): string {
  const { warnings = null } = isJsonObject(payload) ? payload : {};
  return digestOf(size === 'call' ? [factsShown(payload), warnings] : [warnings]);
}
