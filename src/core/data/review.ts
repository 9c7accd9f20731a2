import type { Usage } from './finish-reason.js';
import type { InterruptId } from './ids.js';
import { isJsonObject } from './json.js';
import type { JsonObject } from './json.js';
import type { Actor } from './resolution.js';
import { isWellFormed, toWellFormed } from './well-formed.js';

// Invariants:
// W1 A verdict is read strictly: anything but the four members with their values is no verdict, and the person is asked.

/** Severity of a call that is not what the user wants, lowest first. */
export const RISKS = ['low', 'medium', 'high', 'critical'] as const;
/** A risk, as a reviewer rates it. */
export type Risk = (typeof RISKS)[number];

/** How clearly the user’s own messages ask for a call. */
export const AUTHORIZATIONS = ['high', 'medium', 'low', 'unknown'] as const;
/** How clearly the user’s own messages ask for a call, as a reviewer rates it. */
export type Authorization = (typeof AUTHORIZATIONS)[number];

/** The highest risk that a reviewer may allow. A `critical` call always needs a person. */
export const MAY_ALLOW = ['low', 'medium', 'high'] as const;
/** The highest risk that a user lets a reviewer allow. */
export type MayAllow = (typeof MAY_ALLOW)[number];

/** A reviewer's verdict on a call. */
export interface Verdict {
  readonly risk: Risk;
  readonly authorized: Authorization;
  readonly decision: 'allow' | 'ask';
  /** One sentence; foreign text. */
  readonly why: string;
}

/** The reasons why a review can have no verdict. */
export const REVIEW_FAILURES = ['timeout', 'malformed', 'refused', 'unreachable', 'stopped'] as const;
/** The reason why a review has no verdict. */
export type ReviewFailure = (typeof REVIEW_FAILURES)[number];

/** A reviewer, as an actor. */
export type ReviewerActor = Extract<Actor, { readonly type: 'reviewer' }>;

/** A review of an open question. */
export interface Review {
  readonly id: InterruptId;
  /** Digest of the question. */
  readonly digest: string;
  /** `planDigest` of the call as the question shows it. */
  readonly plan: string;
  /** SHA-256 of the policy; for a command or function, of its name. */
  readonly policy: string;
  readonly by: ReviewerActor;
  readonly mayAllow: MayAllow;
  readonly outcome:
    | ({ readonly type: 'said' } & Verdict)
    | { readonly type: 'failed'; readonly failure: ReviewFailure; readonly message: string };
  /** Tokens and price of a model’s review. */
  readonly usage?: Usage;
}

/** Characters of a reason that are kept, and that are accepted at all. */
const KEPT_WHY = 300;
const LONGEST_WHY = 2_000;

function isOneOf<One extends string>(list: readonly One[], value: unknown): value is One {
  return list.some((one) => one === value);
}

/** Reads a verdict, or says in one line why it is none (W1). */
export function readVerdict(value: unknown): Verdict | string {
  if (!isJsonObject(value)) return 'a verdict is an object';
  const { risk, authorized, decision, why, ...others }: JsonObject = { ...value }; // its own members
  const [strange] = Object.keys(others);
  if (strange !== undefined) return 'a verdict has only `risk`, `authorized`, `decision` and `why`';
  if (!isOneOf(RISKS, risk)) return `\`risk\` must be one of ${RISKS.join(', ')}`;
  if (!isOneOf(AUTHORIZATIONS, authorized))
    return `\`authorized\` must be one of ${AUTHORIZATIONS.join(', ')}`;
  if (decision !== 'allow' && decision !== 'ask') return '`decision` must be allow or ask';
  if (typeof why !== 'string' || why.trim() === '') return '`why` must be a sentence';
  if (why.length > LONGEST_WHY || !isWellFormed(why))
    return `\`why\` must be at most ${LONGEST_WHY} characters`;
  return { risk, authorized, decision, why: keptWhy(why) };
}

/** Cuts a text from outside to what the journal keeps. */
export function keptWhy(text: string): string {
  return text.length <= KEPT_WHY ? text : `${toWellFormed(text.slice(0, KEPT_WHY - 1))}…`;
}

/** Why a stored review is none; `undefined` if it is one. */
export function reviewProblem({ by, mayAllow, outcome, policy, plan }: Review): string | undefined {
  const given: unknown = by;
  if (!isJsonObject(given) || given['type'] !== 'reviewer') return 'it is by no reviewer';
  if (!isOneOf(MAY_ALLOW, mayAllow)) return 'it says no risk that may be allowed';
  if (typeof policy !== 'string' || typeof plan !== 'string') return 'it names no policy or plan';
  if (outcome.type === 'failed')
    return isOneOf(REVIEW_FAILURES, outcome.failure) ? undefined : 'it failed in an unknown way';
  const { type: _type, ...verdict } = outcome;
  const read = readVerdict(verdict);
  return typeof read === 'string' ? read : undefined;
}

/**
 * Whether a review takes the question away: it says so, the risk is within what the person lets it allow, and above the
 * lowest risk the user’s messages ask for the call.
 */
export function allows({ outcome, mayAllow }: Pick<Review, 'outcome' | 'mayAllow'>): boolean {
  if (outcome.type !== 'said' || outcome.decision !== 'allow') return false;
  if (!isOneOf(MAY_ALLOW, mayAllow)) return false;
  const isAsked = outcome.authorized === 'high' || outcome.authorized === 'medium';
  return RISKS.indexOf(outcome.risk) <= RISKS.indexOf(mayAllow) && (outcome.risk === 'low' || isAsked);
}
