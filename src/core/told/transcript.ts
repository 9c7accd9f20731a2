import type { JsonObject, JsonValue } from '../data/json.js';
import type { Role } from '../data/message.js';

/** A tool request in Genkit's format. */
export interface TranscriptToolRequest {
  readonly name: string;
  readonly ref?: string;
  readonly input?: JsonValue;
}

/** A tool response in Genkit's format. */
export interface TranscriptToolResponse {
  readonly name: string;
  readonly ref?: string;
  readonly output?: JsonValue;
  readonly content?: readonly TranscriptPart[];
}

/**
 * A message part in Genkit's format. Exactly one of the properties other than `metadata` is set. The
 * `metadata` of a tool request may contain `interrupt`, `pendingOutput`, `resolvedInterrupt`, `resumed` and
 * `replacedInput`; that of a tool response may contain `interruptResponse` and `source: 'pending'`. hitl
 * stores its own data in `metadata.hitl`.
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

/** A message in Genkit's format; `metadata.resumed` marks a tool message created by a resume. */
export interface TranscriptMessage {
  readonly role: Role;
  readonly content: readonly TranscriptPart[];
  readonly metadata?: JsonObject;
}

declare module '../data/errors.js' {
  interface ErrorDetail {
    /**
     * The history with everything that ran, from which `generate` can continue. Set for TURN_LIMIT, ABORTED,
     * MODEL_FAILED and TOOL_FAILED.
     */
    readonly messages?: readonly TranscriptMessage[];
  }
}
