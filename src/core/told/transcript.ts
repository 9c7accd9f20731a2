import type { JsonObject, JsonValue } from '../data/json.js';
import type { Role } from '../data/message.js';

/** A tool request as Genkit writes it. */
export interface TranscriptToolRequest {
  readonly name: string;
  readonly ref?: string;
  readonly input?: JsonValue;
}

/** A tool response as Genkit writes it. */
export interface TranscriptToolResponse {
  readonly name: string;
  readonly ref?: string;
  readonly output?: JsonValue;
  readonly content?: readonly TranscriptPart[];
}

/**
 * One part of a message in Genkit's shape: exactly one kind key. On tool requests `metadata` may hold `interrupt`,
 * `pendingOutput`, `resolvedInterrupt`, `resumed`, `replacedInput`; on responses `interruptResponse`,
 * `source: 'pending'`. What is ours alone is under `metadata.hitl`.
 */
export interface TranscriptPart {
  readonly text?: string;
  readonly reasoning?: string;
  readonly media?: { readonly url: string; readonly contentType?: string };
  readonly data?: JsonValue;
  readonly toolRequest?: TranscriptToolRequest;
  readonly toolResponse?: TranscriptToolResponse;
  readonly metadata?: JsonObject;
}

/** A message in Genkit's shape; `metadata.resumed` marks a tool message that a resume made. */
export interface TranscriptMessage {
  readonly role: Role;
  readonly content: readonly TranscriptPart[];
  readonly metadata?: JsonObject;
}

declare module '../data/errors.js' {
  interface ErrorDetail {
    /** The history with all that ran, to go on with: of `generate`'s TURN_LIMIT, ABORTED, MODEL_FAILED, TOOL_FAILED. */
    readonly messages?: readonly TranscriptMessage[];
  }
}
