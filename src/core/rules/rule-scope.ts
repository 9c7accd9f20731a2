import type { JsonValue } from '../json/index.js';
import { plainLine } from '../text/index.js';
import type { CommandScope } from './command-scope.js';
import type { HostPattern } from './host-pattern.js';
import type { PathPattern } from './path-pattern.js';
import { isPeopleWord } from '../people/index.js';
import type { ServedScope } from './served-scope.js';

/** Which calls of its tool a rule is about; without a scope it is about every one. */
export type RuleScope =
  | ({ readonly type: 'words' } & CommandScope)
  | ({ readonly type: 'path' } & PathPattern)
  | ({ readonly type: 'host' } & HostPattern)
  /** This input; what it leaves out is as the tool has it by default. */
  | { readonly type: 'call'; readonly input: JsonValue }
  /** Tools of one server of the Model Context Protocol. */
  | ({ readonly type: 'served' } & ServedScope)
  /** Whatever a mode of the session is about. */
  | ({ readonly type: 'mode' } & ModeScope);

/** The calls that the modes of a session deny and allow. `ask` does neither. */
export type ModeScope =
  /** Every call that changes or sends something. */
  | { readonly mode: 'read-only' }
  | {
      readonly mode: 'accept-edits';
      /** Changes of files here. */
      readonly within: PathPattern;
      /** Says why lying in this folder tells nothing, so that nothing is allowed. */
      readonly wide?: string;
    };

/** The part of an input that stands in words about a rule, in columns. */
export const INPUT_COLUMNS = 120;

/**
 * Says what a scope is about, for a sentence: `commands that begin with git status`. Words that deny or ask are about
 * every command that begins with them.
 */
export function scopeInWords(scope: RuleScope | undefined, tool: string, allows: boolean): string {
  switch (scope?.type) {
    case undefined:
      return tool === '*' ? 'every call of every tool' : `every call of \`${tool}\``;
    case 'words': {
      const words = scope.words.join(' ');
      return scope.further || !allows ? `commands that begin with \`${words}\`` : `the command \`${words}\``;
    }
    case 'path':
      return `${scope.literal ? 'the file' : 'files that fit'} \`${scope.pattern}\``;
    case 'served': {
      const what = tool.endsWith('*') ? 'every tool' : `\`${tool}\``;
      const hint = scope.readOnly ? ' that the server says only reads' : '';
      return `${what} of the server \`${scope.server}\`${hint}`;
    }
    case 'host':
      return scope.below ? `hosts below \`${scope.host}\`` : `the host \`${scope.host}\``;
    case 'mode':
      return scope.mode === 'read-only'
        ? 'every call that changes or sends something'
        : `changes in the working folder by \`${tool}\``;
    case 'call':
      return `exactly this call: ${plainLine(JSON.stringify(scope.input), INPUT_COLUMNS)}`;
  }
}

/** A word so that it is read as itself. */
export function quotedWord(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/u.test(word) && !isPeopleWord(word)) return word;
  return word.includes("'") ? `"${word}"` : `'${word}'`;
}
