import type { Interrupt, JsonObject, JsonValue, TranscriptPart } from '../../src/core/index.js';
import type { Waiting } from './case.js';

// Answers as a Genkit caller makes them: of the parts of the interrupted message.

/** The n-th tool request of the message that waits. */
export function requestAt({ parts }: Waiting, index: number): TranscriptPart {
  const part = parts[index];
  if (part === undefined) throw new Error(`there is no tool request ${index}`);
  return part;
}

/** What `respondTool` of Genkit makes. */
export function respondTo(
  { toolRequest }: TranscriptPart,
  output: JsonValue,
  metadata: JsonValue = true,
): TranscriptPart {
  const { name = '', ref } = toolRequest ?? {};
  return {
    toolResponse: { name, ...(ref !== undefined && { ref }), output },
    metadata: { interruptResponse: metadata },
  };
}

export interface RestartChanges {
  readonly resumed?: JsonValue;
  /** Replaces the input, also with a falsy one. */
  readonly input?: JsonValue;
}

/** What `restartTool` of Genkit makes; the old `interrupt` stays on it. */
export function restartOf(part: TranscriptPart, changes: RestartChanges = {}): TranscriptPart {
  const { toolRequest = { name: '' }, metadata } = part;
  const { resumed = true, input } = changes;
  const edited: JsonObject = input === undefined ? {} : { replacedInput: toolRequest.input ?? null };
  return {
    toolRequest: { ...toolRequest, ...(input !== undefined && { input }) },
    metadata: { ...metadata, resumed, ...edited },
  };
}

/** The n-th interrupt of the response that waits. */
export function interruptAt({ interrupts }: Waiting, index: number): Interrupt {
  const interrupt = interrupts[index];
  if (interrupt === undefined) throw new Error(`there is no interrupt ${index}`);
  return interrupt;
}
