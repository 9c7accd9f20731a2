import type { ToolRef } from '../ids.js';
import type { JsonObject, JsonValue } from '../json/index.js';

interface PartBase {
  /** Words of the provider that must come back to it unchanged; the engine never reads them. */
  readonly metadata?: JsonObject;
}

/** Text in a message. */
export interface TextPart extends PartBase {
  readonly type: 'text';
  readonly text: string;
}

/** Thinking of a model, kept byte for byte with its signature in `metadata`. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning';
  readonly text: string;
}

/** An image or another file in a message. */
export interface MediaPart extends PartBase {
  readonly type: 'media';
  readonly url: string;
  readonly contentType?: string;
}

/** Provider-owned or free-form content: replayed to the model that made it, never run, never asked about. */
export interface DataPart extends PartBase {
  readonly type: 'data';
  readonly data: JsonValue;
}

/** A call of a tool, as the model asked for it. */
export interface ToolRequestPart extends PartBase {
  readonly type: 'tool-request';
  readonly ref: ToolRef;
  readonly name: string;
  readonly input: JsonValue;
  /** The raw input could not be accepted; the call is answered with this error and never runs. */
  readonly problem?: string;
}

/** The result of a call, as the model is told it. */
export interface ToolResponsePart extends PartBase {
  readonly type: 'tool-response';
  readonly ref: ToolRef;
  readonly name: string;
  readonly output: JsonValue;
  /** Present and true where the output tells of a failure, a rejection or a cancel. */
  readonly isError?: boolean;
  /** Further content of a multipart tool. */
  readonly content?: readonly Part[];
}

/** A piece of a message: text, media, data, a request of a tool or its response. */
export type Part = TextPart | ReasoningPart | MediaPart | DataPart | ToolRequestPart | ToolResponsePart;

export function textPart(text: string): TextPart {
  return { type: 'text', text };
}
