import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';
import { quotedWord } from './command-words.js';
import type { ToolDescriptor } from './agent.js';

/**
 * The facts that a tool found out about a call and shows: real paths, program, host. Rules are decided on them, not on
 * the input.
 */
export type CallFacts = Readonly<Record<string, JsonValue>>;

/**
 * The fact in which a tool says why rules with words do not count for a call: another folder or another program than the
 * words tell of. It is shown with the question, so that a person sees why a rule of theirs was not enough.
 */
export const NOT_BY_WORDS = 'rules with words';

/** The fact in which a tool says why rules with patterns do not count for a call: what it is about needs a look. */
export const NOT_BY_PATTERN = 'rules with patterns';

/**
 * The fact in which a tool says why a host with `*` does not count for a call: it is of this machine or its network, and
 * only a rule that names it itself means it.
 */
export const NOT_BY_STAR = 'rules with *';

/**
 * The fact in which a tool lists the arguments of a command that may be paths out of the working folder, or of files that
 * often hold keys. An `allow` with words counts for them only where they are among its own words.
 */
export const NEEDS_A_LOOK = 'paths that need a look';

/** The value of that fact. */
export function pathsToLookAt(words: readonly string[]): string {
  return words.map(quotedWord).join(' ');
}

/** Says which argument behind the words of a rule keeps it from allowing a command; `undefined` where none does. */
export function notByPath(facts: CallFacts, further: readonly string[]): string | undefined {
  const spelled = further.find(spellsMore);
  if (spelled !== undefined)
    return `is ignored: \`${plainLine(spelled, SHOWN)}\` can contain a path or a command`;
  const listed = facts[NEEDS_A_LOOK];
  if (listed === undefined) return undefined;
  // What is no text says nothing: every argument may be one.
  const found =
    typeof listed === 'string'
      ? further.find((word) => ` ${listed} `.includes(` ${quotedWord(word)} `))
      : further[0];
  if (found === undefined) return undefined;
  return `is ignored: \`${plainLine(found, SHOWN)}\` may lead out of the working folder, or to a file that often contains keys`;
}

/** Whether an argument is a text that no `allow` with words covers: nothing tells what a program makes of it. */
export function spellsMore(word: string): boolean {
  return SPELLING.test(word) && !PROSE.test(word);
}

/** Blanks, quotes and backslashes: `r .env` of sed, `1e cat .env`, a command in one argument. */
const SPELLING = /[\s'"`\\]/u;

/** Words that nothing joins, and that are looked at one by one as paths: the message of a commit. */
const PROSE = /^[\p{L}\p{N}\p{M}\s.,:;!?_/#-]*$/u;

/** The part of an argument that stands in a reason, in columns. */
const SHOWN = 60;

/** The facts of a question, as it was shown: what was agreed to is what runs (law 5). */
export function factsShown(payload: JsonValue): CallFacts {
  const facts: JsonValue | undefined = isJsonObject(payload) ? payload['facts'] : undefined;
  return isJsonObject(facts) ? facts : NO_FACTS;
}

const NO_FACTS: JsonObject = {};

/** Says why words cannot allow a command with these facts; `undefined` where they can. */
export function notByWords(facts: CallFacts): string | undefined {
  const said = saidOf(facts, NOT_BY_WORDS);
  if (said !== undefined) return said;
  if (typeof facts['working directory'] === 'string') return undefined;
  return uncounted(NOT_BY_WORDS, 'ignored: the tool does not specify where it runs');
}

/** Says why a pattern cannot allow a call with these facts; `undefined` where it can. */
export function notByPattern(facts: CallFacts): string | undefined {
  return saidOf(facts, NOT_BY_PATTERN);
}

/** Says why a host with `*` cannot allow a call with these facts; `undefined` where it can. */
export function notByStar(facts: CallFacts): string | undefined {
  return saidOf(facts, NOT_BY_STAR);
}

/**
 * Says why a rule for a whole tool cannot allow a call with these facts; `undefined` where it can. Who lets a model read
 * the web means no service of this machine or its network, and none that gives out keys.
 */
export function notByTool(facts: CallFacts): string | undefined {
  return typeof facts['host'] === 'string' ? (notByStar(facts) ?? notByPattern(facts)) : undefined;
}

function saidOf(facts: CallFacts, name: string): string | undefined {
  const said = facts[name];
  if (said === undefined) return undefined;
  return uncounted(name, typeof said === 'string' ? said : 'ignored');
}

function uncounted(name: string, why: string): string {
  return `is ignored (${name} ${why})`;
}

/** A call as rules look at it. */
export interface RuledCall {
  readonly name: string;
  readonly input: JsonValue;
  /** The question about it, as it is shown; without it, rules about a part of a tool's calls allow nothing. */
  readonly payload?: JsonValue;
  /** The tool as it is now; absent where it is not offered. */
  readonly tool?: ToolDescriptor;
  /** The time, in milliseconds since 1970; without it, a rule that ends allows nothing. */
  readonly at?: number;
}
