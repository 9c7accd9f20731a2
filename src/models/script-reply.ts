import type { JsonValue, ModelReply, Part, ReplyEnd, Usage } from '../core/index.js';
import { isSendable, toolRef } from '../core/index.js';

/** A tool request of a scripted reply. */
export interface ScriptToolRequest {
  readonly name: string;
  /** Default `{}`. */
  readonly input?: JsonValue;
  /** Default: derived from the position, unique in the session. */
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
 * The request that a reply answers. Text matches a part, or is `/regex/flags`. `user` alone answers a user message;
 * with `toolResult`, the answer to that message must have that result.
 */
export interface ScriptCondition {
  /** Matches the last user message. */
  readonly user?: string;
  /** Matches a result in the last message: its text or JSON. */
  readonly toolResult?: string | ScriptResultCondition;
}

/** The tool result that a scripted reply waits for. */
export interface ScriptResultCondition {
  readonly tool?: string;
  readonly text?: string;
  readonly isError?: boolean;
}

/** A scripted reply; one line of a script file. */
export interface ScriptReply {
  readonly text?: string;
  readonly tools?: readonly ScriptToolRequest[];
  /** Pause before the first piece. */
  readonly delayMs?: number;
  /** Fails once after its text; the next request gets the next reply. */
  readonly error?: ScriptError;
  /** Default `tool-use` with tools, otherwise `stop`. */
  readonly end?: ReplyEnd;
  readonly usage?: Usage;
  /** Default: matched by position. */
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

/** Converts a scripted reply; `refAt` creates missing refs. */
export function toModelReply(script: ScriptReply, refAt: (callIndex: number) => string): ModelReply {
  const { tools = [], usage } = script;
  const end = script.end ?? (tools.length > 0 ? 'tool-use' : 'stop');
  return { content: contentOf(script, refAt), end, ...(usage !== undefined && { usage }) };
}

/** Whether playing the reply leaves a message that later requests contain. */
export function isVisible(script: ScriptReply): boolean {
  return script.error === undefined && isSendable({ role: 'model', content: contentOf(script, String) });
}
