import type { JsonObject, JsonValue } from '../data/json.js';
import type { Role } from '../data/message.js';

/** A tool request in Genkit's shape. */
export interface TranscriptToolRequest {
  readonly name: string;
  readonly ref?: string;
  readonly input?: JsonValue;
}

/** A tool response in Genkit's shape. */
export interface TranscriptToolResponse {
  readonly name: string;
  readonly ref?: string;
  readonly output?: JsonValue;
  readonly content?: readonly TranscriptPart[];
}

/**
 * A part of a message in Genkit's form with exactly one kind key. `metadata` of tool requests may have
 * `interrupt`, `pendingOutput`, `resolvedInterrupt`, `resumed`, `replacedInput`; of responses,
 * `interruptResponse`, `source: 'pending'`. hitl's own data is in `metadata.hitl`.
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

/** A message in Genkit's shape; `metadata.resumed` marks a tool message made by a resume. */
export interface TranscriptMessage {
  readonly role: Role;
  readonly content: readonly TranscriptPart[];
  readonly metadata?: JsonObject;
}

declare module '../data/errors.js' {
  interface ErrorDetail {
    /**
     * The history with everything that ran, from which `generate` can continue. TURN_LIMIT, ABORTED, MODEL_FAILED,
     * TOOL_FAILED.
     */
    readonly messages?: readonly TranscriptMessage[];
  }
}
