import type { MessageDraft, OutsideEvent, Resolution, ResolutionAction } from '../../src/core/index.js';
import {
  HitlError,
  isDeeperThan,
  isJson,
  isOperationName,
  MAX_DEPTH,
  toWellFormed,
} from '../../src/core/index.js';

const MAX_TEXT = 10_000;
const MAX_BYTES = 100_000;
const MAX_TARGET = 1_000;
const MESSAGE_ID = /^[A-Za-z0-9_-]{1,64}$/;

function bad(problem: string, message: string): HitlError {
  return new HitlError('BAD_INPUT', message, { detail: { problem } });
}

/** @throws HitlError BAD_INPUT. Its `detail` specifies the problem. */
export function checkText(text: string): string {
  if (text.trim() === '') throw bad('empty', 'a message must not be empty');
  if (text.length > MAX_TEXT)
    throw bad('too-long', `a message can have at most ${MAX_TEXT} characters, got ${text.length}`);
  return toWellFormed(text);
}

/** @throws HitlError BAD_INPUT. Its `detail` specifies the problem. */
export function checkMessageId(id: string): string {
  if (!MESSAGE_ID.test(id)) throw bad('id', 'a message id must be 1 to 64 letters, digits, `-` or `_`');
  return id;
}

/**
 * Returns the draft in the form in which it is stored. @throws HitlError BAD_INPUT. Its `detail` specifies
 * the problem.
 */
export function checkDraft(draft: MessageDraft, allowed: readonly ResolutionAction[]): MessageDraft {
  const { target, action, event, expiresAt } = draft;
  if (target !== undefined && (target === '' || target.length > MAX_TARGET))
    throw bad('target', `a message target must have 1 to ${MAX_TARGET} characters, got ${target.length}`);
  if (expiresAt !== undefined && Number.isNaN(Date.parse(expiresAt)))
    throw bad('expires-at', `\`expiresAt\` must be an ISO 8601 timestamp, got \`${expiresAt.slice(0, 40)}\``);
  return {
    ...draft,
    text: checkText(draft.text),
    ...(action !== undefined && { action: checkAction(action, allowed) }),
    ...(event !== undefined && { event: checkEvent(draft, event) }),
  };
}

function checkEvent({ action, target }: MessageDraft, { name, data }: OutsideEvent): OutsideEvent {
  if (!isOperationName(name)) throw bad('event', `\`${name.slice(0, 80)}\` is not a valid event name`);
  if (action !== undefined || target !== undefined)
    throw bad('event', 'an event cannot have an action or a target: its name determines the receiver');
  checkJson('event data', data);
  return { name, data };
}

function checkAction(action: Resolution, allowed: readonly ResolutionAction[]): Resolution {
  for (const { action: name } of action.action === 'sequence' ? [action, ...action.actions] : [action]) {
    if (allowed.includes(name)) continue;
    const hint = allowed.length === 0 ? 'no actions are allowed' : `allowed: ${allowed.join(', ')}`;
    throw new HitlError('BAD_INPUT', `\`${name}\` is not a message action`, {
      hint,
      detail: { problem: 'action' },
    });
  }
  checkJson('a message action', action);
  return action;
}

/** Rejects JSON that is too large or too deeply nested to store. */
function checkJson(what: string, value: unknown): void {
  const text = textOf(what, value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) throw bad('too-large', `${what} can have at most ${MAX_BYTES} bytes, got ${bytes}`);
  const copy: unknown = JSON.parse(text);
  if (!isJson(copy) || isDeeperThan(copy, MAX_DEPTH))
    throw bad('too-deep', `${what} is nested deeper than ${MAX_DEPTH} levels`);
}

function textOf(what: string, value: unknown): string {
  try {
    const text: unknown = JSON.stringify(value);
    if (typeof text === 'string') return text;
    throw new TypeError('it is not valid JSON');
  } catch (error) {
    throw new HitlError('BAD_INPUT', `${what} cannot be written as JSON`, {
      detail: { problem: 'not-json' },
      cause: error,
    });
  }
}
