import { digestOf } from '../data/digest.js';
import type { Interrupt } from '../data/interrupt.js';
import { isJsonObject } from '../data/json.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Shown } from '../data/escape.js';
import { escapeText, shown } from '../data/escape.js';
import { plainLine } from '../data/plain-line.js';
import type { Review } from '../data/review.js';
import { allows } from '../data/review.js';
import type { AgentFingerprint, ToolDescriptor } from './agent.js';
import { schemaDigest } from './agent.js';
import type { CallFacts } from './call-facts.js';
import { factsShown, NEEDS_A_LOOK, NOT_BY_PATTERN, NOT_BY_STAR, NOT_BY_WORDS } from './call-facts.js';
import { isBelow } from './path-pattern.js';
import { planDigest, requestIn } from './plan.js';

// Invariants:
// W2 What is never given to a reviewer is told from the question and the session alone, so that the fold can tell it too.

/**
 * Returns the digest of the call that a question shows; `undefined` if the question is not bound to a tool.
 * The call must have the same digest when it starts.
 */
export function questionPlan({ source, payload, bound, approvers }: Interrupt): string | undefined {
  if (source.type !== 'tool' || bound === undefined || approvers !== undefined) return undefined;
  const { name, input } = source;
  const { tool, code } = bound;
  return planDigest({ name, input, tool, request: requestIn(payload), ...(code !== undefined && { code }) });
}

/** Key of the detail that names the rule that passes a call to a reviewer, and the location of the rule. */
export const REVIEW_RULE = 'may be reviewed';
/** Key of the detail that names the rule that applies to a call. */
const RULE = 'rule';

/**
 * Built-in tools whose calls may be shown to a reviewer. Commands are excluded: a command that needs approval
 * can change the folder itself or send data, in ways that its words do not show and that cannot be undone.
 * All other tools need a person, or change which calls need approval.
 */
const BUILT_IN: ReadonlySet<string> = new Set(['write_file', 'edit_file', 'fetch_url']);

/**
 * Maximum size of a call that a reviewer may decide, in characters. A longer call could not be shown in full.
 */
const LONGEST_PLAN = 60_000;

/** The session properties that determine whether a reviewer may be asked. */
export interface ReviewedSession {
  readonly agent?: AgentFingerprint;
  readonly cwd?: string;
}

/** Returns the reason that a question must not go to a reviewer first; `undefined` if it may (W2). */
export function whyNotReviewed(interrupt: Interrupt, session: ReviewedSession): string | undefined {
  const {
    kind,
    source,
    payload,
    bound,
    allowed,
    edit,
    approvers,
    proposed,
    escalated,
    resumeSchema,
    atOnce,
  } = interrupt;
  if (kind !== 'confirmation' || source.type !== 'tool' || source.raisedBy !== 'approval')
    return 'only calls waiting for approval are reviewed';
  if (approvers !== undefined) return 'specific people must approve it';
  if (proposed !== undefined || escalated !== undefined) return 'it is addressed to a specific person';
  if (atOnce === true || interrupt.kept !== undefined) return 'the question comes from the tool itself';
  if (!allowed.includes('restart') || edit === 'required') return 'it cannot be approved as shown';
  if (resumeSchema !== undefined) return 'its approval requires a value';
  if (!isJsonObject(payload)) return 'it does not describe the call';
  if (payload['warnings'] !== undefined) return 'it has a warning';
  const facts = factsShown(payload);
  const found = factProblem(facts, session);
  if (found !== undefined) return found;
  const size = JSON.stringify([source.input, payload]).length;
  if (size > LONGEST_PLAN) return 'it is too long to be shown in full';
  const tool = session.agent?.tools.find(({ name }) => name === source.name);
  if (tool === undefined || bound?.tool !== schemaDigest(tool) || bound.code !== tool.code)
    return 'its tool differs from the one in this session';
  return toolProblem(tool, facts) ?? (isOurs(tool) ? undefined : inputProblem(source.input, session.cwd));
}

function factProblem(facts: CallFacts, { cwd }: ReviewedSession): string | undefined {
  if (Object.hasOwn(facts, RULE)) return 'a rule applies to it';
  for (const name of [NOT_BY_PATTERN, NOT_BY_STAR, NOT_BY_WORDS, NEEDS_A_LOOK])
    if (Object.hasOwn(facts, name)) return 'it involves something that no rule can match';
  for (const place of [facts['path'], facts['working directory']]) {
    if (place === undefined) continue;
    if (
      typeof place !== 'string' ||
      place.split('/').includes('..') ||
      cwd === undefined ||
      !(place === cwd || isBelow(place, cwd))
    )
      return 'it reaches outside the working folder';
  }
  const { host } = facts;
  return host !== undefined && (typeof host !== 'string' || isPrivateName(host))
    ? 'it reaches a private network'
    : undefined;
}

function toolProblem(
  { name, origin, mcp, reviewable }: ToolDescriptor,
  facts: CallFacts,
): string | undefined {
  if (mcp !== undefined)
    return typeof facts[REVIEW_RULE] === 'string'
      ? undefined
      : 'no rule lets a reviewer decide calls to this server’s tools';
  if (reviewable === true) return undefined;
  return isOurs({ origin, name }) ? undefined : 'its tool is not `reviewable`';
}

/** Whether a tool is one of the built-in tools whose calls a reviewer may decide. */
function isOurs({ origin, name }: Pick<ToolDescriptor, 'origin' | 'name'>): boolean {
  return origin === 'built in' && BUILT_IN.has(name);
}

/**
 * Returns the reason that a person must check the input of a tool that isn't built in; `undefined` if there
 * is none. Paths in the input are not resolved, so any text that might refer to a location outside the
 * working folder is a reason.
 */
function inputProblem(input: JsonValue, cwd: string | undefined): string | undefined {
  if (typeof input === 'string')
    return spellsElsewhere(input, cwd) ? 'its input refers to a path outside the working folder' : undefined;
  if (typeof input !== 'object' || input === null) return undefined;
  for (const [key, value] of Object.entries(input)) {
    const found = inputProblem(key, cwd) ?? inputProblem(value, cwd); // a file may be a key
    if (found !== undefined) return found;
  }
  return undefined;
}

function spellsElsewhere(text: string, cwd: string | undefined): boolean {
  const word = text.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(word)) {
    const url = URL.canParse(word) ? new URL(word) : undefined;
    return url === undefined || !/^https?:$/u.test(url.protocol) || isPrivateName(url.host);
  }
  const isAbove = word.split(/[/\\]/u).includes('..') || /%(?:2e|2f|5c)/iu.test(word);
  const isHere = cwd !== undefined && (word === cwd || isBelow(word, cwd));
  const isAbsolute = word.startsWith('/') && !isHere && !COMMENT.test(word);
  return isAbove || isAbsolute || /^(?:~|file:|[a-z]:\\|\\\\)/iu.test(word) || isPrivateAddress(word);
}

/** The start of a source code comment, which is not a path. */
const COMMENT = /^\/(?:\/|\*+)\s/u;

/**
 * Whether a word is a private address without `http://`: an IP address or a hostname that is private by
 * convention.
 */
function isPrivateAddress(word: string): boolean {
  const [, host = ''] = /^(?:[^\s/@]*@)?([\w.-]+)(?::\d+)?(?:[/?#]|$)/u.exec(word) ?? [];
  const isNamed = /^\d+(?:\.\d+){3}$|^localhost$/iu.test(host) || /[^.]\.[^.]/u.test(host);
  return isNamed && !/^\d+(?:\.\d+){0,2}$/u.test(host) && isPrivateName(host);
}

/**
 * Whether a host is treated as private because of its name alone. Names are also resolved and checked when
 * connecting.
 */
function isPrivateName(host: string): boolean {
  const name = host.replace(/:\d+$/u, '').replace(/\.$/u, '').toLowerCase();
  if (name.includes(':') || name.startsWith('[')) return true; // an address of IPv6
  if (/^[\d.]+$/u.test(name)) return true; // an address
  return (
    !name.includes('.') || /\.(?:local|localhost|internal|intranet|lan|home|corp|arpa|test)$/u.test(name)
  );
}

/** Returns the digest of a reviewer's policy, which is either text or a command. */
export function policyDigest(policy: string | readonly string[]): string {
  const parts: JsonObject = { policy: typeof policy === 'string' ? policy : [...policy] };
  return digestOf(parts);
}

/**
 * Number of consecutive `ask` verdicts and reviewer failures. After too many, reviews are paused until the
 * user turns the mode on again.
 */
export interface ReviewStreak {
  readonly asks: number;
  readonly outages: number;
}

const MOST_ASKS = 3;
const MOST_OUTAGES = 2;

/** Returns the reason that reviews are paused; `undefined` if they are not. */
export function whyPaused({ asks, outages }: ReviewStreak = { asks: 0, outages: 0 }): string | undefined {
  if (asks >= MOST_ASKS) return `the reviewer said “ask” ${MOST_ASKS} times in a row`;
  return outages >= MOST_OUTAGES ? `the reviewer failed ${MOST_OUTAGES} times in a row` : undefined;
}

/** Returns the streak after another review. A review that the user stopped does not count as a failure. */
export function streakAfter(
  { asks, outages }: ReviewStreak = { asks: 0, outages: 0 },
  review: Pick<Review, 'outcome' | 'mayAllow'>,
): ReviewStreak {
  if (allows(review)) return { asks: 0, outages: 0 };
  if (review.outcome.type === 'said') return { asks: asks + 1, outages: 0 };
  return { asks, outages: review.outcome.failure === 'stopped' ? outages : outages + 1 };
}

/** Maximum width of a review's reason, in columns. */
const WHY_COLUMNS = 120;

/**
 * Formats a review as one line that is safe to print, without the reviewer's name: `deletes files that nobody
 * named (high)`. For a failed review, the line is the error message.
 */
export function reviewWords({ outcome }: Pick<Review, 'outcome'>): Shown {
  if (outcome.type === 'failed') return plainLine(outcome.message, WHY_COLUMNS);
  return shown`${plainLine(outcome.why.replace(/\.\s*$/u, ''), WHY_COLUMNS)} (${escapeText(outcome.risk)})`;
}
