import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';
import { quotedWord } from './command-words.js';
import type { ToolDescriptor } from './agent.js';

/**
 * Details that a tool resolved about a call and shows: real paths, program, host. Rules are matched against them, not
 * against the input.
 */
export type CallFacts = Readonly<Record<string, JsonValue>>;

/**
 * Detail that explains why rules with a command prefix do not apply: another folder, or another program than
 * the words suggest. Shown with the question, so that the user sees why a rule was not enough.
 */
export const NOT_BY_WORDS = 'rules with words';

/** Detail that explains why rules with patterns do not apply: the target needs review. */
export const NOT_BY_PATTERN = 'rules with patterns';

/**
 * Detail that explains why a host pattern with `*` does not apply: the host is local, and only a rule that
 * names it exactly applies.
 */
export const NOT_BY_STAR = 'rules with *';

/** Detail of a command: what its sandbox lets it do. */
export const SANDBOX = 'sandbox';
const REACHES = 'can write anywhere, use the network and read hitl’s keys';
/** Warns of a command that runs without a sandbox because the user turned it off. */
export const SANDBOX_OFF = `the sandbox is off: ${REACHES}`;

/** Warns of a command on a system that has no sandbox. @param why the reason */
export function noSandbox(why: string): string {
  return `there is no sandbox (${why}): ${REACHES}`;
}

/** Whether a warning of a command says only that there is no sandbox: it is the same for every command. */
export function isAboutSandbox(warning: string): boolean {
  return (
    warning === SANDBOX_OFF ||
    (warning.startsWith('there is no sandbox (') && warning.endsWith(`): ${REACHES}`))
  );
}

/** A command that runs where it can change nothing and send nothing. */
export const ONLY_READS = 'changes nothing, no network';

/** A command that changes a copy of the folder; what may change without a question comes back. */
export const IN_COPY = 'can write in a copy of this folder, no network';

/** Whether a call is a command that runs in a copy of the folder, as its tool found and shows. */
export function runsInCopy(name: string, facts: CallFacts | undefined): boolean {
  return name === 'run_command' && facts?.[SANDBOX] === IN_COPY;
}

/** Whether a call is a command that can change and send nothing, as its tool found and shows. */
export function onlyReadsHere(name: string, facts: CallFacts | undefined): boolean {
  return name === 'run_command' && facts?.[SANDBOX] === ONLY_READS;
}

/** Who runs a call that hitl only asks about. */
export const RUNS_IT = 'runs it';

/**
 * Detail that lists arguments that may be paths outside the working folder, or files with keys. An `allow`
 * with a command prefix covers them only if it contains them.
 */
export const NEEDS_A_LOOK = 'paths that need a look';

/** Returns that detail's value. */
export function pathsToLookAt(words: readonly string[]): string {
  return words.map(quotedWord).join(' ');
}

/**
 * Returns the argument after a rule's words that keeps it from allowing a command; `undefined` if there is
 * none.
 */
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

/** Whether an argument is text that no prefix rule covers: its meaning to the program is unknown. */
export function spellsMore(word: string): boolean {
  return SPELLING.test(word) && !PROSE.test(word);
}

/** Blanks, quotes and backslashes: `r .env` of sed, `1e cat .env`, a command in one argument. */
const SPELLING = /[\s'"`\\]/u;

/** Unjoined words, each checked as a path: for example a commit message. */
const PROSE = /^[\p{L}\p{N}\p{M}\s.,:;!?_/#-]*$/u;

/** Width of an argument in a reason. */
const SHOWN = 60;

/** Returns a question's details as shown: what was approved is what runs (law 5). */
export function factsShown(payload: JsonValue): CallFacts {
  const facts: JsonValue | undefined = isJsonObject(payload) ? payload['facts'] : undefined;
  return isJsonObject(facts) ? facts : NO_FACTS;
}

const NO_FACTS: JsonObject = {};

/** Explains why a command prefix cannot allow a command with these details; `undefined` if it can. */
export function notByWords(facts: CallFacts): string | undefined {
  const said = saidOf(facts, NOT_BY_WORDS);
  if (said !== undefined) return said;
  if (typeof facts['working directory'] === 'string') return undefined;
  return uncounted(NOT_BY_WORDS, 'ignored: the tool does not specify where it runs');
}

/** Explains why a pattern cannot allow a call with these details; `undefined` if it can. */
export function notByPattern(facts: CallFacts): string | undefined {
  return saidOf(facts, NOT_BY_PATTERN);
}

/** Explains why a host with `*` cannot allow a call with these details; `undefined` if it can. */
export function notByStar(facts: CallFacts): string | undefined {
  return saidOf(facts, NOT_BY_STAR);
}

/**
 * Explains why a rule for a whole tool cannot allow a call with these details; `undefined` if it can.
 * Allowing web access does not include local services, or services that return credentials.
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

/** A call, for rules. */
export interface RuledCall {
  readonly name: string;
  readonly input: JsonValue;
  /** The question as shown; without it, rules for part of a tool's calls allow nothing. */
  readonly payload?: JsonValue;
  /** The current tool; absent if not available. */
  readonly tool?: ToolDescriptor;
  /** Milliseconds since 1970; without it, an expiring rule allows nothing. */
  readonly at?: number;
}
