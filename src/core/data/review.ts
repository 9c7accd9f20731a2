import type { Usage } from './finish-reason.js';
import type { InterruptId } from './ids.js';
import { isJsonObject } from './json.js';
import type { JsonObject } from './json.js';
import type { Actor } from './resolution.js';
import { isWellFormed, toWellFormed } from './well-formed.js';

// Invariants:
// W1 A verdict is read strictly: anything but the four members with their values is no verdict, and the person is asked.

/** Levels of harm that an unwanted call could cause, lowest first. */
export const RISKS = ['low', 'medium', 'high', 'critical'] as const;
/** A reviewer's rating of a call's risk. */
export type Risk = (typeof RISKS)[number];

/** Levels that rate how clearly the user's own messages ask for a call. */
export const AUTHORIZATIONS = ['high', 'medium', 'low', 'unknown'] as const;
/** A reviewer's rating of how clearly the user's own messages ask for a call. */
export type Authorization = (typeof AUTHORIZATIONS)[number];

/**
 * The possible values for the highest risk that a reviewer may allow. A `critical` call always needs a
 * person.
 */
export const MAY_ALLOW = ['low', 'medium', 'high'] as const;
/** The highest risk that a reviewer may allow, as set by the user. */
export type MayAllow = (typeof MAY_ALLOW)[number];

/** A reviewer's verdict on a call. */
export interface Verdict {
  readonly risk: Risk;
  readonly authorized: Authorization;
  readonly decision: 'allow' | 'ask';
  /** The reason, in one sentence. Untrusted text. */
  readonly why: string;
}

/** The possible reasons that a review has no verdict. */
export const REVIEW_FAILURES = ['timeout', 'malformed', 'refused', 'unreachable', 'stopped'] as const;
/** The reason that a review has no verdict. */
export type ReviewFailure = (typeof REVIEW_FAILURES)[number];

/** A reviewer as an actor. */
export type ReviewerActor = Extract<Actor, { readonly type: 'reviewer' }>;

/** A review of an open question. */
export interface Review {
  readonly id: InterruptId;
  /** The question's digest. */
  readonly digest: string;
  /** `planDigest` of the call shown in the question. */
  readonly plan: string;
  /** SHA-256 of the policy; for a command or function, SHA-256 of its name. */
  readonly policy: string;
  readonly by: ReviewerActor;
  readonly mayAllow: MayAllow;
  readonly outcome:
    | ({ readonly type: 'said' } & Verdict)
    | { readonly type: 'failed'; readonly failure: ReviewFailure; readonly message: string };
  /** Tokens used by a model's review, and their cost. */
  readonly usage?: Usage;
}

/** Maximum length of a reason, in characters, when stored and when accepted. */
const KEPT_WHY = 300;
const LONGEST_WHY = 2_000;

function isOneOf<One extends string>(list: readonly One[], value: unknown): value is One {
  return list.some((one) => one === value);
}

/** Reads a verdict. If it is invalid, returns a one-line reason instead (W1). */
export function readVerdict(value: unknown): Verdict | string {
  if (!isJsonObject(value)) return 'a verdict must be an object';
  const { risk, authorized, decision, why, ...others }: JsonObject = { ...value }; // its own members
  const [strange] = Object.keys(others);
  if (strange !== undefined) return 'a verdict can only have `risk`, `authorized`, `decision` and `why`';
  if (!isOneOf(RISKS, risk)) return `\`risk\` must be one of ${RISKS.join(', ')}`;
  if (!isOneOf(AUTHORIZATIONS, authorized))
    return `\`authorized\` must be one of ${AUTHORIZATIONS.join(', ')}`;
  if (decision !== 'allow' && decision !== 'ask') return '`decision` must be allow or ask';
  if (typeof why !== 'string' || why.trim() === '') return '`why` must be a sentence';
  if (why.length > LONGEST_WHY || !isWellFormed(why))
    return `\`why\` must be at most ${LONGEST_WHY} characters`;
  return { risk, authorized, decision, why: keptWhy(why) };
}

/** Truncates untrusted text to the length that the journal stores. */
export function keptWhy(text: string): string {
  return text.length <= KEPT_WHY ? text : `${toWellFormed(text.slice(0, KEPT_WHY - 1))}…`;
}

/** Returns the reason that a stored review is invalid, or `undefined` if it is valid. */
export function reviewProblem({ by, mayAllow, outcome, policy, plan }: Review): string | undefined {
  const given: unknown = by;
  if (!isJsonObject(given) || given['type'] !== 'reviewer') return 'it is not from a reviewer';
  if (!isOneOf(MAY_ALLOW, mayAllow)) return 'it does not have a valid `mayAllow`';
  if (typeof policy !== 'string' || typeof plan !== 'string') return '`policy` or `plan` is missing';
  if (outcome.type === 'failed')
    return isOneOf(REVIEW_FAILURES, outcome.failure) ? undefined : 'its failure type is unknown';
  const { type: _type, ...verdict } = outcome;
  const read = readVerdict(verdict);
  return typeof read === 'string' ? read : undefined;
}

/**
 * Whether a review approves the call, so that no person is asked: its verdict allows the call, the risk is
 * within the user's limit, and, unless the risk is low, the user's messages ask for the call.
 */
export function allows({ outcome, mayAllow }: Pick<Review, 'outcome' | 'mayAllow'>): boolean {
  if (outcome.type !== 'said' || outcome.decision !== 'allow') return false;
  if (!isOneOf(MAY_ALLOW, mayAllow)) return false;
  const isAsked = outcome.authorized === 'high' || outcome.authorized === 'medium';
  return RISKS.indexOf(outcome.risk) <= RISKS.indexOf(mayAllow) && (outcome.risk === 'low' || isAsked);
}
