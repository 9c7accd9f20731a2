// Which answers count for nothing but what was shown, and what becomes of one that comes from outside of a conversation.
import { momentText } from '../data/duration.js';
import type { JsonValue } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import { doneOf } from '../question/narrow.js';
import { WAYS } from '../question/ways.js';
import type { ResolvedInterrupt } from '../state/call.js';
import { HitlError } from '../data/errors.js';
import type { InterruptId } from '../data/ids.js';
import type { RunState } from '../state/state.js';
import { openInterrupts } from '../state/state.js';
import { actorName, isActor } from '../data/actor-name.js';
import { passedOn } from './check-answer.js';
import type { Interrupt } from '../data/interrupt.js';
import type { Shown } from '../data/escape.js';
import { escapeText } from '../data/escape.js';

/** Strings that count as approval when they answer a question. */
const YES: ReadonlySet<string> = new Set(['true', WAYS.restart.key, ...WAYS.restart.words]);

/**
 * Whether an answer approves: it lets something run, or answers a question with yes. Such an answer applies
 * only to the content that was shown.
 */
export function isYes(resolution: Resolution): boolean {
  if (resolution.action === 'sequence') return resolution.actions.some(isYes);
  if (resolution.action === 'respond') return saysYes(resolution.output);
  return WAYS[resolution.action].starts;
}

function saysYes(output: JsonValue): boolean {
  return output === true || (typeof output === 'string' && YES.has(output.trim().toLowerCase()));
}

/** How an answer identifies its question. */
export interface Naming {
  /** Digest of the shown content, used to find the question or to check that it is unchanged. */
  readonly digest?: string | undefined;
  /** Whether the answer explicitly applies to any open question. */
  readonly any?: boolean | undefined;
  /** Whether a person is at the terminal and can be shown the question. */
  readonly seated: boolean;
}

/**
 * Decides how to treat an answer from outside a conversation. `counts`: accept it. `show-first`: show the
 * question and have the answer confirmed with a key press. `refused`: refuse it, because it does not identify
 * the content that was shown.
 */
export function namingVerdict(resolution: Resolution, naming: Naming): 'counts' | 'show-first' | 'refused' {
  if (naming.digest !== undefined || naming.any === true || !isYes(resolution)) return 'counts';
  return naming.seated ? 'show-first' : 'refused';
}

/** Describes an earlier answer: `already approved by ann at 2026-01-02 03:04 UTC`. Not escaped. */
export function answeredBy({ interrupt, by, resolution, resolvedAt }: ResolvedInterrupt): string {
  const who = isActor(by) && by.type === 'rule' ? `the rule ${by.rule}` : actorName(by);
  const whoAndWhen = `by ${who}${resolvedAt === undefined ? '' : ` at ${momentText(resolvedAt)}`}`;
  const { verb } = doneOf(interrupt, resolution);
  return verb.includes(' ') ? `already answered ${whoAndWhen}: ${verb}` : `already ${verb} ${whoAndWhen}`;
}

/**
 * Returns the error for an answer to an interrupt that is not waiting: ALREADY_ANSWERED or
 * INTERRUPT_NOT_FOUND.
 */
export function notWaiting(state: RunState, id: InterruptId): HitlError {
  const resolved = state.resolved.findLast(({ interrupt }) => interrupt.id === id);
  if (resolved !== undefined)
    return new HitlError('ALREADY_ANSWERED', `interrupt ${id} was ${answeredBy(resolved)}`);
  const passed = passedOn(state, id);
  if (passed !== undefined) return new HitlError('ALREADY_ANSWERED', passed);
  const ids = openInterrupts(state)
    .map((candidate) => candidate.id)
    .join(', ');
  return new HitlError('INTERRUPT_NOT_FOUND', `no open interrupt \`${id}\``, {
    hint: ids === '' ? 'this session has no open questions' : `open: ${ids}`,
  });
}

// An answer names what it answers: the question, and by its digest what was shown of it. This is the one place that says
// how short a digest may be written, and how both are named together.

/** Number of digest digits to print next to a question. */
const DIGITS = 8;

/** Returns a question's digest in its printed form, which `--digest` accepts. */
export function shortDigest({ digest }: Pick<Interrupt, 'digest'>): Shown {
  return escapeText(digest.slice(0, DIGITS));
}

/** Whether a string could be a digest or its prefix: 8 to 64 hex digits. */
export function isDigestText(text: string): boolean {
  return /^[0-9a-f]{8,64}$/iu.test(text);
}

/** Whether a string is a question's digest or a valid prefix of it. */
export function isDigestOf(text: string, { digest }: Pick<Interrupt, 'digest'>): boolean {
  return isDigestText(text) && digest.startsWith(text.toLowerCase());
}

/**
 * A question as specified with `--answer`: its id, optionally followed by the digest, for example
 * `@3db9c6df`.
 */
export interface QuestionName {
  readonly interrupt: string;
  readonly digest?: string;
}

/** Parses a question name such as `i1` or `i1@3db9c6df`. */
export function readQuestionName(text: string): QuestionName {
  const at = text.lastIndexOf('@');
  const digest = text.slice(at + 1);
  return at > 0 && isDigestText(digest) ? { interrupt: text.slice(0, at), digest } : { interrupt: text };
}
