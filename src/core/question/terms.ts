import { actorName } from '../data/actor-name.js';
import type { Interrupt } from '../data/interrupt.js';
import type { Actor, ResolutionAction } from '../data/resolution.js';
import { isoTime, timeOf } from '../data/duration.js';

// Invariants:
// L1 A yes is for the code that was there when the question was asked. A start by other code needs another yes.
// L2 A yes counts until its time is over, by the clock of the machine that starts. What started in time has used it up:
//    a second attempt after a crash is a matter of the tool's effect, as ever.

/** Limits on the validity of an approval, in addition to the content that was shown. */
export interface Terms {
  /** `Binding.code` of the question; absent if the question has none. */
  readonly code?: string;
  /** When the approval was given and when it expires; absent if it does not expire or has been used. */
  readonly age?: Age;
}

/** When an approval was given, and when it expires. */
export interface Age {
  /** Name of the approver. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** ISO 8601. */
  readonly until: string;
}

/** The code and start time that an approval must cover. */
export interface Start {
  /** The code that would run; absent if unknown. */
  readonly code?: string | undefined;
  /** Start time in milliseconds since 1970, by the clock of the process that starts the code. */
  readonly at: number;
}

/** A recorded decision. */
interface Decided {
  readonly interrupt: Interrupt;
  readonly by: Actor;
  readonly resolvedAt?: string;
  readonly validUntil?: string;
}

/** Decisions that start something or pass a value to a tool or workflow. */
const LETS_RUN: ReadonlySet<ResolutionAction> = new Set<ResolutionAction>([
  'restart',
  'continue',
  'rerun',
  'edit-input',
  'edit-output',
  'sequence',
]);

/**
 * Returns the time when an answer expires, in ISO 8601; `undefined` if it does not expire. The time depends
 * on how long the question's approvals are valid or, if that is not specified, on its deadline. Values for a
 * workflow's code expire like approvals. Answers from a timeout or an external event do not expire, and
 * neither does the output provided for a call that does not run.
 */
export function validUntil(
  { approvalLastsMs, expiresAt, source }: Interrupt,
  { action, by, at }: { readonly action: ResolutionAction; readonly by: Actor; readonly at: string },
): string | undefined {
  if (!letsRun({ source }, { action, by })) return undefined;
  return approvalLastsMs === undefined ? expiresAt : isoTime(timeOf(at) + approvalLastsMs);
}

/** Whether an answer starts something or passes a value to a tool or workflow. */
export function letsRun(
  { source }: Pick<Interrupt, 'source'>,
  { action, by }: { readonly action: ResolutionAction; readonly by: Actor },
): boolean {
  const isData = action === 'respond' && source.type === 'node';
  return isYes({ source }, by) && (isData || LETS_RUN.has(action));
}

/** Whether an answer can be requested again. False for a timeout or an external event. */
function isYes({ source }: Pick<Interrupt, 'source'>, by: Actor): boolean {
  return by.type !== 'clock' && !(source.type === 'node' && source.event !== undefined);
}

/** Returns the limits on the validity of a recorded approval. */
export function termsOf({ interrupt, by, resolvedAt = '', validUntil: until }: Decided): Terms {
  const { bound } = interrupt;
  if (!isYes(interrupt, by)) return {};
  return {
    ...(bound?.code !== undefined && { code: bound.code }),
    ...(until !== undefined && { age: { by: actorName(by), at: resolvedAt, until } }),
  };
}

/** Removes the expiry from an approval that was used in time. */
export function used<Yes extends Terms>({ age: _age, ...terms }: Yes): Omit<Yes, 'age'> {
  return terms;
}

/**
 * Lists the reasons that an approval does not cover a start; empty if it does. L1 and L2 are enforced only in
 * this function.
 */
export function termsProblems(
  terms: Terms,
  { code, at }: Start,
  about: { readonly what: string; readonly done: 'approved' | 'answered' },
): readonly string[] {
  return [...codeProblems(terms.code, code, about), ...ageProblems(terms.age, at, about.done)];
}

/** Reports that the code has changed since the approval; empty if it has not. */
export function codeProblems(
  agreed: string | undefined,
  now: string | undefined,
  { what, done }: { readonly what: string; readonly done: 'approved' | 'answered' },
): readonly string[] {
  if (agreed === now) return [];
  const part = [agreed, now].some((code) => code?.startsWith(SERVER_SAYS)) ? 'description' : 'code';
  return [`the ${part} of \`${what}\` has changed since it was ${done}`];
}

/** Reports that an approval has expired; empty if it has not. An unreadable time is treated as expired. */
export function ageProblems(
  age: Age | undefined,
  at: number,
  done: 'approved' | 'answered' = 'approved',
): readonly string[] {
  if (age === undefined || at <= timeOf(age.until)) return [];
  return [`${done} by ${age.by} at ${moment(age.at)} UTC, valid until ${untilWords(age)}`];
}

/** Prefix of an MCP tool's code identifier, which is derived from the server's description of the tool. */
const SERVER_SAYS = 'server:';
const VERSION = 'version:';
const DAY = 10;

/** Formats a `Tool.code` identifier with the code's origin. */
export function codeName(kind: 'module' | 'server' | 'version', digest: string): string {
  return `${kind}:${digest}`;
}

function untilWords({ at, until }: Age): string {
  if (Number.isNaN(timeOf(until))) return 'an invalid time';
  return `${until.slice(0, DAY) === at.slice(0, DAY) ? clock(until) : moment(until)} UTC`;
}

/**
 * Whether an identifier is missing or is only a version set by the author. If so, it is replaced with that of
 * the loaded code.
 */
export function isNamedByHand(code: string | undefined): boolean {
  return code?.startsWith(VERSION) !== false;
}

function moment(iso: string): string {
  return `${iso.slice(0, DAY)} ${clock(iso)}`;
}

function clock(iso: string): string {
  return iso.slice(DAY + 1, DAY + 9);
}
