import type { Interrupt, JsonValue, Resolution } from '../../core/index.js';
import { assertNever, escapeText, plainLine } from '../../core/index.js';
import { questionContent, subjectOf } from '../question/index.js';

/** What was decided about one interrupt. */
export interface Decision {
  readonly resolution: Resolution;
  readonly always?: boolean;
}

function because(reason: string | undefined): string {
  return reason === undefined || reason === '' ? '' : `: ${escapeText(reason)}`;
}

/** How much of an answer is repeated, in columns. */
const ANSWER_COLUMNS = 60;

function shownAnswer(interrupt: Interrupt, output: JsonValue): string {
  if (questionContent(interrupt).secret) return '';
  return `: ${plainLine(typeof output === 'string' ? output : JSON.stringify(output), ANSWER_COLUMNS)}`;
}

function decided(interrupt: Interrupt, { resolution, always }: Decision): string {
  const { kind, source } = interrupt;
  const subject = subjectOf(source);
  switch (resolution.action) {
    case 'respond':
      return `answered ${kind === 'question' ? '' : 'in place of '}${subject}${shownAnswer(interrupt, resolution.output)}`;
    case 'restart': {
      const edited = resolution.input === undefined ? '' : ' with your input';
      return `approved ${subject}${edited}${always === true ? ', and always in this session' : ''}`;
    }
    case 'retry':
      return `${subject} runs again`;
    case 'reject':
      if (kind === 'error') return `told the model of the error of ${subject}${because(resolution.reason)}`;
      if (kind === 'in-doubt') return `${subject} counts as failed${because(resolution.reason)}`;
      return `rejected ${subject}${because(resolution.reason)}`;
    case 'cancel':
      return kind === 'limit' ? 'stopped' : `cancelled ${subject}${because(resolution.reason)}`;
    case 'continue':
      return `${subject} goes on`;
    case 'skip':
      return `skipped ${subject}`;
    case 'rerun':
      return `${subject} goes on with your guidance`;
    case 'go-back':
      return resolution.to === undefined
        ? `went back ${resolution.steps ?? 1}`
        : `went back to ${escapeText(resolution.to)}`;
    case 'update-state':
      return `changed the state at ${subject}`;
    case 'change-condition':
      return `changed a condition at ${subject}`;
    case 'defer':
      return `deferred ${subject}${because(resolution.note)}`;
    case 'goto':
      return `went on to ${escapeText(resolution.node)}`;
    case 'edit-input':
      return `edited the input of ${subject}`;
    case 'edit-output':
      return `edited the output of ${subject}`;
    case 'sequence':
      return `decided on ${subject}: ${resolution.actions.map(({ action }) => action).join(', ')}`;
    case 'pause':
      return `paused at ${subject}`;
    case 'extend':
      return `extended the limit by ${resolution.by}`;
    default:
      return assertNever(resolution);
  }
}

/** One line about what a person decided, with the first 8 hex digits of the fingerprint that the journal keeps. */
export function decisionLine(interrupt: Interrupt, decision: Decision): string {
  return `${decided(interrupt, decision)} · ${interrupt.digest.slice(0, 8)}`;
}

/** True where something runs by it; for colour. */
export function agrees({ resolution }: Decision): boolean {
  return resolution.action !== 'reject' && resolution.action !== 'cancel';
}
