import type { JsonValue, ModelReply, Part, ReplyEnd, Usage } from '../core/index.js';
import { isSendable, toolRef } from '../core/index.js';

/** One tool request of a scripted reply. */
export interface ScriptToolRequest {
  readonly name: string;
  /** Default `{}`. */
  readonly input?: JsonValue;
  /** Default: made from the position, unique in the session. */
  readonly ref?: string;
}

/** A provider's failure that a script plays. */
export interface ScriptError {
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** The provider's word, such as `overloaded_error`. */
  readonly type?: string;
  readonly message: string;
}

/**
 * The form that a request must have for a reply to answer it. Text is a part of what is looked at, or `/regex/flags`.
 * `user` alone answers a user's message; with `toolResult`, the answer to that user's message must go through it.
 */
export interface ScriptCondition {
  /** On the text of the last user message. */
  readonly user?: string;
  /** On a result in the last message: its text, or its JSON where it is not text. */
  readonly toolResult?: string | ScriptResultCondition;
}

/** The result of a tool that a scripted reply waits for. */
export interface ScriptResultCondition {
  readonly tool?: string;
  readonly text?: string;
  readonly isError?: boolean;
}

/** One reply of a scripted model; a line of a script file is one of these. */
export interface ScriptReply {
  readonly text?: string;
  readonly tools?: readonly ScriptToolRequest[];
  /** Pause before the first piece. */
  readonly delayMs?: number;
  /** The reply fails after its text. Played once; the next request at this position gets the next reply. */
  readonly error?: ScriptError;
  /** Default `tool-use` with tools, else `stop`. */
  readonly end?: ReplyEnd;
  readonly usage?: Usage;
  /** Without it a reply answers by position. */
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

/** The reply as a model gives it; `refAt` names its calls that have no ref of their own. */
export function toModelReply(script: ScriptReply, refAt: (callIndex: number) => string): ModelReply {
  const { tools = [], usage } = script;
  const end = script.end ?? (tools.length > 0 ? 'tool-use' : 'stop');
  return { content: contentOf(script, refAt), end, ...(usage !== undefined && { usage }) };
}

/** True where playing the reply leaves a message that later requests hold. */
export function isVisible(script: ScriptReply): boolean {
  return script.error === undefined && isSendable({ role: 'model', content: contentOf(script, String) });
}
