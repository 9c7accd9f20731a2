import { actorName } from '../data/actor-name.js';
import type { Interrupt } from '../data/interrupt.js';
import type { Actor, ResolutionAction } from '../data/resolution.js';
import { isoTime, timeOf } from '../data/duration.js';

// Invariants:
// L1 A yes is for the code that was there when the question was asked. A start by other code needs another yes.
// L2 A yes counts until its time is over, by the clock of the machine that starts. What started in time has used it up:
//    a second attempt after a crash is a matter of the tool's effect, as ever.

/** Limits of an approval, besides the displayed content. */
export interface Terms {
  /** `Binding.code` of the question; absent if it has none. */
  readonly code?: string;
  /** Validity of the approval; absent if unlimited or already used. */
  readonly age?: Age;
}

/** The age of an approval. */
export interface Age {
  /** Name of the approver. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** ISO 8601. */
  readonly until: string;
}

/** A start that an approval must cover. */
export interface Start {
  /** The code that would run; absent if unknown. */
  readonly code?: string | undefined;
  /** Milliseconds since 1970, by the starting process's clock. */
  readonly at: number;
}

/** A recorded decision. */
interface Decided {
  readonly interrupt: Interrupt;
  readonly by: Actor;
  readonly resolvedAt?: string;
  readonly validUntil?: string;
}

/** Decisions after which something runs, or a body gets its value. */
const LETS_RUN: ReadonlySet<ResolutionAction> = new Set<ResolutionAction>([
  'restart',
  'continue',
  'rerun',
  'edit-input',
  'edit-output',
  'sequence',
]);

/**
 * Returns when an answer expires, as ISO 8601; `undefined` if it does not. Uses the question's validity, else
 * its deadline. Values for a workflow's code expire like approvals. Answers by time or an external event are
 * not approvals, nor is the output of a call that does not run.
 */
export function validUntil(
  { approvalLastsMs, expiresAt, source }: Interrupt,
  { action, by, at }: { readonly action: ResolutionAction; readonly by: Actor; readonly at: string },
): string | undefined {
  if (!letsRun({ source }, { action, by })) return undefined;
  return approvalLastsMs === undefined ? expiresAt : isoTime(timeOf(at) + approvalLastsMs);
}

/** Whether something starts after an answer, or a body gets its value. */
export function letsRun(
  { source }: Pick<Interrupt, 'source'>,
  { action, by }: { readonly action: ResolutionAction; readonly by: Actor },
): boolean {
  const isData = action === 'respond' && source.type === 'node';
  return isYes({ source }, by) && (isData || LETS_RUN.has(action));
}

/** False for an answer by time or an external event, about which no one can be asked again. */
function isYes({ source }: Pick<Interrupt, 'source'>, by: Actor): boolean {
  return by.type !== 'clock' && !(source.type === 'node' && source.event !== undefined);
}

/** Returns the limits of a recorded approval. */
export function termsOf({ interrupt, by, resolvedAt = '', validUntil: until }: Decided): Terms {
  const { bound } = interrupt;
  if (!isYes(interrupt, by)) return {};
  return {
    ...(bound?.code !== undefined && { code: bound.code }),
    ...(until !== undefined && { age: { by: actorName(by), at: resolvedAt, until } }),
  };
}

/** The approval after its use: it was in time. */
export function used<Yes extends Terms>({ age: _age, ...terms }: Yes): Omit<Yes, 'age'> {
  return terms;
}

/** Lists why an approval does not cover a start; empty if it does. The only place for L1 and L2. */
export function termsProblems(
  terms: Terms,
  { code, at }: Start,
  about: { readonly what: string; readonly done: 'approved' | 'answered' },
): readonly string[] {
  return [...codeProblems(terms.code, code, about), ...ageProblems(terms.age, at, about.done)];
}

/** The part of it that concerns the code. */
export function codeProblems(
  agreed: string | undefined,
  now: string | undefined,
  { what, done }: { readonly what: string; readonly done: 'approved' | 'answered' },
): readonly string[] {
  if (agreed === now) return [];
  const part = [agreed, now].some((code) => code?.startsWith(SERVER_SAYS)) ? 'description' : 'code';
  return [`the ${part} of \`${what}\` has changed since it was ${done}`];
}

/** Checks the expiry. An unreadable time has expired. */
export function ageProblems(
  age: Age | undefined,
  at: number,
  done: 'approved' | 'answered' = 'approved',
): readonly string[] {
  if (age === undefined || at <= timeOf(age.until)) return [];
  return [`${done} by ${age.by} at ${moment(age.at)} UTC, valid until ${untilWords(age)}`];
}

/** Prefix of a server tool's code: it is identified by the server's description. */
const SERVER_SAYS = 'server:';
const VERSION = 'version:';
const DAY = 10;

/** Names code by its origin, for `Tool.code`. */
export function codeName(kind: 'module' | 'server' | 'version', digest: string): string {
  return `${kind}:${digest}`;
}

function untilWords({ at, until }: Age): string {
  if (Number.isNaN(timeOf(until))) return 'a time that cannot be read';
  return `${until.slice(0, DAY) === at.slice(0, DAY) ? clock(until) : moment(until)} UTC`;
}

/** Whether loaded code identifies itself better: no name is set, or its author's version is. */
export function isNamedByHand(code: string | undefined): boolean {
  return code?.startsWith(VERSION) !== false;
}

function moment(iso: string): string {
  return `${iso.slice(0, DAY)} ${clock(iso)}`;
}

function clock(iso: string): string {
  return iso.slice(DAY + 1, DAY + 9);
}
