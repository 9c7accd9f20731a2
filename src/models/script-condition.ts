import type { Message, Sequence, ToolResponsePart } from '../core/index.js';
import { canonicalJson, HitlError, textOf } from '../core/index.js';
import { toolResponsesOf } from './request-facts.js';
import type { ScriptCondition, ScriptResultCondition } from './script-reply.js';

const REGEX = /^\/(?<source>.+)\/(?<flags>[a-z]*)$/su;

/**
 * Creates a matcher from `/regex/flags`, or from plain text, which matches as a substring.
 * @throws HitlError BAD_SCRIPT for an invalid regular expression.
 */
export function textMatcher(pattern: string): (text: string) => boolean {
  const groups = REGEX.exec(pattern)?.groups;
  if (groups === undefined) return (text) => text.includes(pattern);
  const { source = '', flags = '' } = groups;
  try {
    // `g` and `y` would make the answer depend on the request before.
    const regex = new RegExp(source, flags.replaceAll(/[gy]/gu, ''));
    return (text) => regex.test(text);
  } catch (cause) {
    throw new HitlError('BAD_SCRIPT', `\`${pattern}\` is not a regular expression`, {
      hint: 'text between slashes is a regular expression; any other text is a substring',
      cause,
    });
  }
}

function resultText({ output }: ToolResponsePart): string {
  return typeof output === 'string' ? output : canonicalJson(output);
}

function resultMatches(condition: string | ScriptResultCondition, result: ToolResponsePart): boolean {
  if (typeof condition === 'string') return textMatcher(condition)(resultText(result));
  const { tool, text, isError } = condition;
  if (tool !== undefined && tool !== result.name) return false;
  if (isError !== undefined && isError !== (result.isError ?? false)) return false;
  return text === undefined || textMatcher(text)(resultText(result));
}

/** Returns the text of the last user message before an index. */
function userTextBefore(messages: Sequence<Message>, end: number): string {
  for (let index = end - 1; index >= 0; index -= 1) {
    const message = messages.at(index);
    if (message?.role === 'user') return textOf(message);
  }
  return '';
}

/** Whether a request consisting of the first `end` messages meets the condition. */
export function conditionHolds(
  condition: ScriptCondition,
  messages: Sequence<Message>,
  end: number,
): boolean {
  const last = end > 0 ? messages.at(end - 1) : undefined;
  const { user, toolResult } = condition;
  if (last === undefined || (user === undefined && toolResult === undefined)) return false;
  if (toolResult === undefined && last.role !== 'user') return false;
  if (
    toolResult !== undefined &&
    !toolResponsesOf(last).some((result) => resultMatches(toolResult, result))
  ) {
    return false;
  }
  return user === undefined || textMatcher(user)(userTextBefore(messages, end));
}
