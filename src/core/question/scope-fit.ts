import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject, membersOf, jsonEquals } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';
import type { CallFacts, RuledCall } from './call-facts.js';
import {
  factsShown,
  onlyReadsHere,
  runsInCopy,
  notByPath,
  notByPattern,
  notByStar,
  notByTool,
  notByWords,
} from './call-facts.js';
import type { CommandScope } from './command-words.js';
import { FURTHER, shellPart, commandWords, programName, wantsNetwork } from './command-words.js';
import { fitsHost } from './host-pattern.js';
import { askedPath, fitsPath, mayFitBelow } from './path-pattern.js';
import type { ModeScope, RuleScope } from './rule-scope.js';
import { INPUT_COLUMNS } from './rule-scope.js';
import type { ServedScope } from './served-tool.js';
import { fitsName, onlyReads } from './served-tool.js';

// Invariants:
// F1 A scope that allows is held to the plan: the real path, the program, the host. Without these facts it fits nothing.
// F2 A scope that denies or asks fits also what only may be meant: another spelling, another way to it.

/**
 * Result of matching a scope against a call. `nearly`: the scope matches, but must not allow the call. `may`:
 * unknown.
 */
export type Fit = { readonly type: 'yes' | 'no' } | { readonly type: 'nearly' | 'may'; readonly why: string };

const YES: Fit = { type: 'yes' };
const NO: Fit = { type: 'no' };

function may(why: string): Fit {
  return { type: 'may', why };
}

/**
 * Matches a scope against a call. `allows` selects the strict test for allowing (F1). Otherwise, the broad
 * test for denying or asking applies (F2).
 */
export function fitOf(scope: RuleScope | undefined, call: RuledCall, allows: boolean): Fit {
  const facts = factsShown(call.payload ?? null);
  switch (scope?.type) {
    case undefined:
      return allows ? unless(notByTool(facts)) : YES;
    case 'words':
      return fitOfWords(scope, call, facts, allows);
    case 'path': {
      const real = facts['path'];
      if (allows) {
        if (typeof real !== 'string' || !fitsPath(real, scope, false)) return NO;
        return scope.literal ? YES : unless(notByPattern(facts));
      }
      const asked = askedPath(call.input, scope.place);
      const paths = [real, asked].filter((path) => typeof path === 'string');
      if (paths.some((path) => fitsPath(path, scope, true))) return YES;
      if (goesBelow(call) && paths.some((path) => mayFitBelow(path, scope)))
        return may('it writes to a folder that may contain such files');
      return typeof real === 'string' || asked === undefined ? NO : may('its real path is unknown');
    }
    case 'host': {
      const { host } = facts;
      if (typeof host !== 'string') return NO;
      if (!fitsHost(host, scope, allows)) return NO;
      if (!allows) return YES;
      return unless(notByPattern(facts) ?? (scope.below ? notByStar(facts) : undefined));
    }
    case 'served':
      return fitOfServed(scope, call);
    case 'mode':
      return fitOfMode(scope, call, facts);
    case 'call':
      if (!jsonEquals(withDefaults(scope.input, call), withDefaults(call.input, call))) return NO;
      return unless(allows && call.name === 'run_command' ? notByWords(facts) : undefined);
  }
}

/** Whether a call to a built-in tool also reads the subfolders of its folder. */
function goesBelow({ name, input }: RuledCall): boolean {
  return name === 'search_files' || (name === 'list_files' && membersOf(input)['recursive'] === true);
}

/**
 * Matches a server's tools against a call. A tool that is not loaded may belong to any server. A destructive
 * tool is never treated as read-only, even if its server declares it read-only.
 */
function fitOfServed({ server, readOnly, spelled }: ServedScope, { name, tool }: RuledCall): Fit {
  if (tool === undefined) return may('the tool is not loaded, so its server is unknown');
  if (tool.mcp === undefined && spelled !== undefined && fitsName(name, spelled)) return YES;
  if (tool.mcp?.server !== server) return NO;
  return readOnly && !onlyReads(tool.mcp) ? NO : YES;
}

/**
 * Matches a session mode against a call. A tool that is not loaded is assumed to change something. A file
 * change is allowed only if the file's real path is in the folder (F1).
 */
function fitOfMode(scope: ModeScope, { name, tool }: RuledCall, facts: CallFacts): Fit {
  switch (scope.mode) {
    case 'read-only':
      return tool?.effect === 'none' || onlyReadsHere(name, facts) ? NO : YES;
    case 'accept-edits': {
      const { within, wide } = scope;
      const real = facts['path'];
      if (typeof real !== 'string' || !fitsPath(real, within, false)) return NO;
      return unless(wide === undefined ? notByPattern(facts) : `is ignored: this is ${wide}`);
    }
    case 'auto': {
      const { within, wide } = scope;
      const folder = facts['working directory'];
      if (!runsInCopy(name, facts) || typeof folder !== 'string' || !fitsPath(`${folder}/.`, within, false))
        return NO;
      return unless(wide === undefined ? undefined : `is ignored: this is ${wide}`);
    }
  }
}

function unless(why: string | undefined): Fit {
  return why === undefined ? YES : { type: 'nearly', why };
}

function fitOfWords(scope: CommandScope, call: RuledCall, facts: CallFacts, allows: boolean): Fit {
  const { words } = commandWords(call.input);
  if (words === undefined || !begins(words, scope, allows ? same : sameProgram))
    return may(whyMay(call.input, words)); // any program may run another: no list of those that do not is right
  if (!allows) return YES;
  if (!scope.further && words.length > scope.words.length)
    return unless(`matches exactly this command; end it with \`${FURTHER}\` to allow any further arguments`);
  if (wantsNetwork(call.input)) return unless('is ignored: the command asks for network access');
  return unless(
    notByWords(facts) ?? notByFolder(facts, scope) ?? notByPath(facts, words.slice(scope.words.length)),
  );
}

/**
 * Returns the reason that the working folder prevents a command from matching; `undefined` if it does not. A
 * prefix applies in one folder only, because the same program may use other settings in a subfolder.
 */
function notByFolder(facts: CallFacts, { folder }: CommandScope): string | undefined {
  const here = facts['working directory'];
  if (folder === undefined || here === folder || typeof here !== 'string') return undefined;
  return `is ignored: the command runs in \`${here}\`, and the rule is for \`${folder}\``;
}

/** Returns the reason that the programs run by a command cannot be determined. */
function whyMay(input: JsonValue, words: readonly string[] | undefined): string {
  const [program] = words ?? [];
  if (program === undefined) {
    const { command } = membersOf(input);
    const part = typeof command === 'string' ? shellPart(command) : undefined;
    return part === undefined
      ? 'this is not a simple command'
      : `the command is too complex to check: ${part}`;
  }
  return `\`${plainLine([programName(program), ...subcommand(words ?? [])].join(' '), INPUT_COLUMNS)}\` may run another program`;
}

/** Returns Git's subcommand, if any. Other arguments are left out because they could be anything. */
function subcommand([program = '', second]: readonly string[]): readonly string[] {
  return programName(program) === 'git' && second !== undefined && /^[a-z-]+$/u.test(second) ? [second] : [];
}

function begins(
  words: readonly string[],
  { words: wanted }: CommandScope,
  isProgram: (word: string, wanted: string) => boolean,
): boolean {
  return wanted.every((word, index) => {
    const given = words[index];
    return given !== undefined && (index === 0 ? isProgram(given, word) : given === word);
  });
}

function same(word: string, wanted: string): boolean {
  return word === wanted;
}

/**
 * Whether two words name the same program. For example, a rule that denies `git` also denies `/usr/bin/git`.
 */
function sameProgram(word: string, wanted: string): boolean {
  return word === wanted || programName(word) === wanted;
}

/** Fills in missing properties of an input with the tool's defaults. */
function withDefaults(input: JsonValue, { tool }: RuledCall): JsonValue {
  const properties = tool?.inputSchema['properties'];
  if (!isJsonObject(input) || properties === undefined || !isJsonObject(properties)) return input;
  const defaults = Object.entries(properties).flatMap(([key, property]): [string, JsonValue][] =>
    isJsonObject(property) && property['default'] !== undefined ? [[key, property['default']]] : [],
  );
  const filled: JsonObject = { ...Object.fromEntries(defaults), ...input };
  return filled;
}
