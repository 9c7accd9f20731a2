import type { JsonValue, ModelReply, Part, ReplyEnd, Usage } from '../core/index.js';
import { isSendable, toolRef } from '../core/index.js';

/** A tool request in a scripted reply. */
export interface ScriptToolRequest {
  readonly name: string;
  /** Default `{}`. */
  readonly input?: JsonValue;
  /** Default: a ref derived from the position, unique within the session. */
  readonly ref?: string;
}

/** A scripted provider failure. */
export interface ScriptError {
  /** HTTP status, if any. */
  readonly status?: number;
  /** The provider's error type, for example `overloaded_error`. */
  readonly type?: string;
  readonly message: string;
}

/**
 * Condition that a request must meet to get a reply. Plain text matches as a substring; `/regex/flags`
 * matches as a regular expression. If only `user` is set, the last message must be a user message. If
 * `toolResult` is set, the last message must contain that result.
 */
export interface ScriptCondition {
  /** Matches the last user message. */
  readonly user?: string;
  /** Matches a tool result in the last message: its text or JSON. */
  readonly toolResult?: string | ScriptResultCondition;
}

/** Condition on a tool result, for a scripted reply. */
export interface ScriptResultCondition {
  readonly tool?: string;
  readonly text?: string;
  readonly isError?: boolean;
}

/** A scripted reply: one line of a script file. */
export interface ScriptReply {
  readonly text?: string;
  readonly tools?: readonly ScriptToolRequest[];
  /** Pause before the first chunk. */
  readonly delayMs?: number;
  /** Failure to simulate once, after the text has been sent. The next request gets the next reply. */
  readonly error?: ScriptError;
  /** Default: `tool-use` if there are tools, otherwise `stop`. */
  readonly end?: ReplyEnd;
  readonly usage?: Usage;
  /** Condition on the request. Default: the reply is chosen by position. */
  readonly when?: ScriptCondition;
}

function contentOf(
  { text = '', tools = [] }: ScriptReply,
  refAt: (callIndex: number) => string,
): readonly Part[] {
  const content: Part[] = text === '' ? [] : [{ type: 'text', text }];
  for (const [index, tool] of tools.entries()) {
    const ref = toolRef(tool.ref ?? refAt(index));
    content.push({ type: 'tool-request', ref, name: tool.name, input: tool.input ?? {} });
  }
  return content;
}

/** Converts a scripted reply to a model reply. `refAt` creates missing refs. */
export function toModelReply(script: ScriptReply, refAt: (callIndex: number) => string): ModelReply {
  const { tools = [], usage } = script;
  const end = script.end ?? (tools.length > 0 ? 'tool-use' : 'stop');
  return { content: contentOf(script, refAt), end, ...(usage !== undefined && { usage }) };
}

/** Whether the reply, once played, leaves a message in later requests. */
export function isVisible(script: ScriptReply): boolean {
  return script.error === undefined && isSendable({ role: 'model', content: contentOf(script, String) });
}
