import type { JsonValue } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';
import type { CommandScope } from './command-words.js';
import { inQuotes, quotedWord } from './command-words.js';
import type { HostPattern } from './host-pattern.js';
import type { PathPattern } from './path-pattern.js';
import type { ServedScope } from './served-tool.js';

/** The calls of a tool that a rule matches. A rule without a scope matches all of them. */
export type RuleScope =
  | ({ readonly type: 'words' } & CommandScope)
  | ({ readonly type: 'path' } & PathPattern)
  | ({ readonly type: 'host' } & HostPattern)
  /** Calls with exactly this input. Missing properties are filled in with the tool's defaults. */
  | { readonly type: 'call'; readonly input: JsonValue }
  /** Tools of one MCP server. */
  | ({ readonly type: 'served' } & ServedScope)
  /** Every call that a session mode applies to. */
  | ({ readonly type: 'mode' } & ModeScope);

/** Calls that a session mode denies or allows. The `ask` mode does neither, so it has no scope. */
export type ModeScope =
  /** Every call that changes or sends something. The read-only mode denies these calls. */
  | { readonly mode: 'read-only' }
  | {
      readonly mode: 'accept-edits';
      /** The folder in which files may be changed. */
      readonly within: PathPattern;
      /** The reason that the folder is too broad. If set, no call is allowed. */
      readonly wide?: string;
    }
  | {
      readonly mode: 'auto';
      /** The folder that is copied so that commands can run in the copy. */
      readonly within: PathPattern;
      readonly wide?: string;
    };

/** Maximum width of an input in a rule's description, in columns. */
export const INPUT_COLUMNS = 120;

/**
 * Describes a scope for use in a sentence: `commands that start with git status`. Unless the rule allows
 * calls, its command words always match as a prefix.
 */
export function scopeInWords(scope: RuleScope | undefined, tool: string, allows: boolean): string {
  switch (scope?.type) {
    case undefined:
      return tool === '*' ? 'every call of every tool' : `every call of \`${tool}\``;
    case 'words': {
      const words = scope.words.map(quotedWord).join(' ');
      return scope.further || !allows ? `commands that start with \`${words}\`` : `the command \`${words}\``;
    }
    case 'path':
      return `${scope.literal ? 'the file' : 'files matching'} \`${scope.pattern}\``;
    case 'served': {
      const what = tool.endsWith('*') ? 'every tool' : `\`${tool}\``;
      const hint = scope.readOnly ? ' that the server marks as read-only' : '';
      return `${what} of the server \`${scope.server}\`${hint}`;
    }
    case 'host':
      return scope.below ? `hosts below \`${scope.host}\`` : `the host \`${scope.host}\``;
    case 'mode':
      return MODE_SCOPES[scope.mode](tool);
    case 'call':
      return `exactly this call: ${plainLine(JSON.stringify(scope.input), INPUT_COLUMNS)}`;
  }
}

const MODE_SCOPES: Readonly<Record<ModeScope['mode'], (tool: string) => string>> = {
  'read-only': () => 'every call that is not read-only',
  'accept-edits': (tool) => `changes in the working folder by \`${tool}\``,
  auto: () => 'commands that run in a copy of the working folder',
};

/** Quotes a path or pattern so that it is read literally. `*` and `?` stay unquoted. */
export function quotedPath(path: string): string {
  return path
    .split('/')
    .map((part) => (/[\s'"\\]/u.test(part) ? inQuotes(part) : part))
    .join('/');
}

/** Parses a single word with shell quoting. The wildcards `*` and `?` must not be in quotes. */
export function oneWord(text: string): string | { readonly problem: string } {
  let word = '';
  for (const [piece, single, double] of text.matchAll(/'([^']*)'|"([^"]*)"|[^'" \t\\]+|./gsu)) {
    const quoted = single ?? double;
    if (quoted === undefined && /^['" \t\\]/u.test(piece)) return { problem: severalProblem(piece, text) };
    if (quoted !== undefined && /[*?]/u.test(quoted))
      return { problem: '`*` and `?` are ambiguous in quotes; write a pattern without quotes' };
    word += quoted ?? piece;
  }
  return word === '' ? { problem: 'the word is empty' } : word;
}

function severalProblem(piece: string, text: string): string {
  if (piece === '\\') return 'it contains a backslash; put literal characters in quotes instead';
  if (piece === '"' || piece === "'") return `unclosed quote; write a quote in a name as "it's"`;
  return `it has more than one word; quote a name with spaces: \`${quotedPath(text)}\``;
}
