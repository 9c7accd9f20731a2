import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject } from '../data/json.js';
import { plainLine } from '../data/plain-line.js';
import { quotedWord } from './command-words.js';
import type { ToolDescriptor } from './agent.js';

/**
 * Details that a tool has resolved and shows for a call, such as real paths, the program or the host. Rules
 * are matched against these details, not against the input.
 */
export type CallFacts = Readonly<Record<string, JsonValue>>;

/**
 * Key of the detail that explains why rules with a command prefix do not apply: the command runs in a
 * different folder, or runs a program other than the one that its words suggest. Shown with the question so
 * that the user sees why a rule was not sufficient.
 */
export const NOT_BY_WORDS = 'rules with words';

/** Key of the detail that explains why rules with patterns do not apply: a person must review the target. */
export const NOT_BY_PATTERN = 'rules with patterns';

/**
 * Key of the detail that explains why a host pattern with `*` does not apply: the host is local, so only a
 * rule with its exact name applies.
 */
export const NOT_BY_STAR = 'rules with *';

/** Key of the detail that describes what the sandbox of a command allows. */
export const SANDBOX = 'sandbox';
const REACHES = 'can write anywhere, use the network and read hitl’s keys';
/** Warning about a command that runs without a sandbox because the user turned it off. */
export const SANDBOX_OFF = `the sandbox is off: ${REACHES}`;

/**
 * Returns the warning about a command on a system without a sandbox.
 * @param why the reason
 */
export function noSandbox(why: string): string {
  return `there is no sandbox (${why}): ${REACHES}`;
}

/**
 * Whether a warning about a command only reports that there is no sandbox, which is true of every command.
 */
export function isAboutSandbox(warning: string): boolean {
  return (
    warning === SANDBOX_OFF ||
    (warning.startsWith('there is no sandbox (') && warning.endsWith(`): ${REACHES}`))
  );
}

/** Value of the sandbox detail for a command that cannot change or send anything. */
export const ONLY_READS = 'changes nothing, no network';

/**
 * Value of the sandbox detail for a command that changes a copy of the folder. Only changes that are allowed
 * without asking are copied back.
 */
export const IN_COPY = 'can write in a copy of this folder, no network';

/** Whether a call is a command that runs in a copy of the folder, according to the details from its tool. */
export function runsInCopy(name: string, facts: CallFacts | undefined): boolean {
  return name === 'run_command' && facts?.[SANDBOX] === IN_COPY;
}

/**
 * Whether a call is a command that cannot change or send anything, according to the details from its tool.
 */
export function onlyReadsHere(name: string, facts: CallFacts | undefined): boolean {
  return name === 'run_command' && facts?.[SANDBOX] === ONLY_READS;
}

/** Key of the detail that shows who runs a call for which hitl only asks the question. */
export const RUNS_IT = 'runs it';

/**
 * Key of the detail that lists arguments that may be paths outside the working folder, or files that contain
 * keys. An `allow` rule with a command prefix covers them only if the prefix contains them.
 */
export const NEEDS_A_LOOK = 'paths that need a look';

/** Formats arguments as the value of the `NEEDS_A_LOOK` detail. */
export function pathsToLookAt(words: readonly string[]): string {
  return words.map(quotedWord).join(' ');
}

/**
 * Returns the reason that an argument after the prefix of a rule prevents the rule from allowing a command;
 * `undefined` if there is none.
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

/**
 * Whether an argument contains text that a program may interpret in unknown ways. A prefix rule does not
 * cover such text.
 */
export function spellsMore(word: string): boolean {
  return SPELLING.test(word) && !PROSE.test(word);
}

/**
 * Matches whitespace, quotes and backslashes. Examples are `r .env` and `1e cat .env` for sed, or a whole
 * command passed as one argument.
 */
const SPELLING = /[\s'"`\\]/u;

/** Matches plain words, such as those in a commit message. Each word is checked as a path elsewhere. */
const PROSE = /^[\p{L}\p{N}\p{M}\s.,:;!?_/#-]*$/u;

/** Maximum width of an argument quoted in a reason, in columns. */
const SHOWN = 60;

/**
 * Returns the details shown with a question. The shown details are used because a call must run exactly as it
 * was approved (law 5).
 */
export function factsShown(payload: JsonValue): CallFacts {
  const facts: JsonValue | undefined = isJsonObject(payload) ? payload['facts'] : undefined;
  return isJsonObject(facts) ? facts : NO_FACTS;
}

const NO_FACTS: JsonObject = {};

/**
 * Returns the reason that a command prefix cannot allow a command with these details, or `undefined` if it
 * can.
 */
export function notByWords(facts: CallFacts): string | undefined {
  const said = saidOf(facts, NOT_BY_WORDS);
  if (said !== undefined) return said;
  if (typeof facts['working directory'] === 'string') return undefined;
  return uncounted(NOT_BY_WORDS, 'ignored: the tool does not specify where it runs');
}

/** Returns the reason that a pattern cannot allow a call with these details, or `undefined` if it can. */
export function notByPattern(facts: CallFacts): string | undefined {
  return saidOf(facts, NOT_BY_PATTERN);
}

/**
 * Returns the reason that a host pattern with `*` cannot allow a call with these details, or `undefined` if
 * it can.
 */
export function notByStar(facts: CallFacts): string | undefined {
  return saidOf(facts, NOT_BY_STAR);
}

/**
 * Returns the reason that a rule for a whole tool cannot allow a call with these details, or `undefined` if
 * it can. A rule that allows web access does not cover local services, or services that return credentials.
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

/** A call in the form that rules are matched against. */
export interface RuledCall {
  readonly name: string;
  readonly input: JsonValue;
  /**
   * The content of the question as shown. If absent, no rule that covers only some of a tool's calls can
   * allow the call.
   */
  readonly payload?: JsonValue;
  /** The current tool; absent if it is not available. */
  readonly tool?: ToolDescriptor;
  /** The current time, in milliseconds since 1970. If absent, no rule that expires can allow the call. */
  readonly at?: number;
}
