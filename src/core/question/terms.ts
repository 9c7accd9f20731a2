import { actorName } from '../data/actor-name.js';
import type { Interrupt } from '../data/interrupt.js';
import type { Actor, ResolutionAction } from '../data/resolution.js';
import { isoTime, timeOf } from '../data/duration.js';

// Invariants:
// L1 A yes is for the code that was there when the question was asked. A start by other code needs another yes.
// L2 A yes counts until its time is over, by the clock of the machine that starts. What started in time has used it up:
//    a second attempt after a crash is a matter of the tool's effect, as ever.

/** The limits of a yes, beside what was shown with the question. */
export interface Terms {
  /** `Binding.code` of the question; absent where it named none. */
  readonly code?: string;
  /** The time for which the yes counts; absent: it has no end, or it has been used. */
  readonly age?: Age;
}

/** The time of a yes. */
export interface Age {
  /** The name of whoever gave it. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** ISO 8601. */
  readonly until: string;
}

/** A start that a yes is held to. */
export interface Start {
  /** The code that would run; absent where nobody says which it is. */
  readonly code?: string | undefined;
  /** Milliseconds since 1970, by the clock of whoever starts. */
  readonly at: number;
}

/** A decision, as it was recorded. */
interface Decided {
  readonly interrupt: Interrupt;
  readonly by: Actor;
  readonly resolvedAt?: string;
  readonly validUntil?: string;
}

/** Decisions after which something runs, or a body gets what it asked for. */
const LETS_RUN: ReadonlySet<ResolutionAction> = new Set<ResolutionAction>([
  'restart',
  'continue',
  'rerun',
  'edit-input',
  'edit-output',
  'sequence',
]);

/**
 * Says until when an answer counts, as ISO 8601; `undefined` where it has no end. It has the time that the question says,
 * else that of the question itself. What is data for a body of a workflow counts no longer than a yes. What time or an event
 * from outside answers is not a yes, and neither is the output of a call that does not run.
 */
export function validUntil(
  { approvalLastsMs, expiresAt, source }: Interrupt,
  { action, by, at }: { readonly action: ResolutionAction; readonly by: Actor; readonly at: string },
): string | undefined {
  if (!letsRun({ source }, { action, by })) return undefined;
  return approvalLastsMs === undefined ? expiresAt : isoTime(timeOf(at) + approvalLastsMs);
}

/** True for an answer after which something starts, or a body gets what it asked for. */
export function letsRun(
  { source }: Pick<Interrupt, 'source'>,
  { action, by }: { readonly action: ResolutionAction; readonly by: Actor },
): boolean {
  const isData = action === 'respond' && source.type === 'node';
  return isYes({ source }, by) && (isData || LETS_RUN.has(action));
}

/** False for what time or an event from outside answers: nobody is there to ask again. */
function isYes({ source }: Pick<Interrupt, 'source'>, by: Actor): boolean {
  return by.type !== 'clock' && !(source.type === 'node' && source.event !== undefined);
}

/** Gives the limits of a recorded yes. */
export function termsOf({ interrupt, by, resolvedAt = '', validUntil: until }: Decided): Terms {
  const { bound } = interrupt;
  if (!isYes(interrupt, by)) return {};
  return {
    ...(bound?.code !== undefined && { code: bound.code }),
    ...(until !== undefined && { age: { by: actorName(by), at: resolvedAt, until } }),
  };
}

/** The yes after it let something start: that came in time. */
export function used<Yes extends Terms>({ age: _age, ...terms }: Yes): Omit<Yes, 'age'> {
  return terms;
}

/** Says why a yes does not count for a start, a line for each reason; empty where it does. The one place for L1 and L2. */
export function termsProblems(
  terms: Terms,
  { code, at }: Start,
  about: { readonly what: string; readonly done: 'approved' | 'answered' },
): readonly string[] {
  return [...codeProblems(terms.code, code, about), ...ageProblems(terms.age, at, about.done)];
}

/** The part of it that is about the code. */
export function codeProblems(
  agreed: string | undefined,
  now: string | undefined,
  { what, done }: { readonly what: string; readonly done: 'approved' | 'answered' },
): readonly string[] {
  if (agreed === now) return [];
  const part = [agreed, now].some((code) => code?.startsWith(SERVER_SAYS)) ? 'description' : 'code';
  return [`the ${part} of \`${what}\` changed since it was ${done}`];
}

/** The part of it that is about its time. A time that nobody can read is over. */
export function ageProblems(
  age: Age | undefined,
  at: number,
  done: 'approved' | 'answered' = 'approved',
): readonly string[] {
  if (age === undefined || at <= timeOf(age.until)) return [];
  return [`${done} by ${age.by} at ${moment(age.at)} UTC, valid until ${untilWords(age)}`];
}

/** Begins the code of a tool of a server: what stands for it is what the server says. */
const SERVER_SAYS = 'server:';
const VERSION = 'version:';
const DAY = 10;

/** Names code by what it is made of, for `Tool.code`. */
export function codeName(kind: 'module' | 'server' | 'version', digest: string): string {
  return `${kind}:${digest}`;
}

function untilWords({ at, until }: Age): string {
  if (Number.isNaN(timeOf(until))) return 'a time that cannot be read';
  return `${until.slice(0, DAY) === at.slice(0, DAY) ? clock(until) : moment(until)} UTC`;
}

/** True where code that is loaded says more: nobody names any, or its author does by a version. */
export function isNamedByHand(code: string | undefined): boolean {
  return code?.startsWith(VERSION) !== false;
}

function moment(iso: string): string {
  return `${iso.slice(0, DAY)} ${clock(iso)}`;
}

function clock(iso: string): string {
  return iso.slice(DAY + 1, DAY + 9);
}
