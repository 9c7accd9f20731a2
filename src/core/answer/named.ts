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

/** Texts that approve a question, like a call. */
const YES: ReadonlySet<string> = new Set(['true', WAYS.restart.key, ...WAYS.restart.words]);

/**
 * Whether an answer approves: something runs, or a question is answered with yes. Such an answer is only for
 * what was shown.
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
  /** Digest of what was shown; used to find the question, or compared with it. */
  readonly digest?: string | undefined;
  /** Whether the answer is explicitly for any open question. */
  readonly any?: boolean | undefined;
  /** Whether a person sits at the terminal and can be shown the question. */
  readonly seated: boolean;
}

/**
 * Decides on an answer from outside a conversation: accepted, shown first with a key press, or refused
 * because it does not identify what was shown.
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

/** The error for an answer to something that waits for none: ALREADY_ANSWERED, or INTERRUPT_NOT_FOUND. */
export function notWaiting(state: RunState, id: InterruptId): HitlError {
  const resolved = state.resolved.findLast(({ interrupt }) => interrupt.id === id);
  if (resolved !== undefined)
    return new HitlError('ALREADY_ANSWERED', `interrupt ${id} was ${answeredBy(resolved)}`);
  const passed = passedOn(state, id);
  if (passed !== undefined) return new HitlError('ALREADY_ANSWERED', passed);
  const ids = openInterrupts(state)
    .map((candidate) => candidate.id)
    .join(', ');
  return new HitlError('INTERRUPT_NOT_FOUND', `no interrupt \`${id}\` waits for an answer`, {
    hint: ids === '' ? 'this session has no open questions' : `open: ${ids}`,
  });
}

// An answer names what it answers: the question, and by its digest what was shown of it. This is the one place that says
// how short a digest may be written, and how both are named together.

/** Number of digest digits printed next to a question. */
const DIGITS = 8;

/** Returns a question's printed digest, as `--digest` accepts it. */
export function shortDigest({ digest }: Pick<Interrupt, 'digest'>): Shown {
  return escapeText(digest.slice(0, DIGITS));
}

/** Whether a text could be a digest: at least eight digits. */
export function isDigestText(text: string): boolean {
  return /^[0-9a-f]{8,64}$/iu.test(text);
}

/** Whether a text is a question's digest, or its printed prefix. */
export function isDigestOf(text: string, { digest }: Pick<Interrupt, 'digest'>): boolean {
  return isDigestText(text) && digest.startsWith(text.toLowerCase());
}

/** A question in the form of `--answer`: its id, optionally with the digest, as `@3db9c6df`. */
export interface QuestionName {
  readonly interrupt: string;
  readonly digest?: string;
}

/** Reads `i1` or `i1@3db9c6df`. */
export function readQuestionName(text: string): QuestionName {
  const at = text.lastIndexOf('@');
  const digest = text.slice(at + 1);
  return at > 0 && isDigestText(digest) ? { interrupt: text.slice(0, at), digest } : { interrupt: text };
}
