import type { Interrupt, JsonObject, Resolution, SessionSize, ToolDescriptor } from '../../core/index.js';

/** A resolution that a line or a JSON value stands for. */
export interface ParsedAnswer {
  readonly resolution: Resolution;
  /** Approve later calls as well, for the rest of the session; `true` is exactly this call. */
  readonly always?: true | SessionSize;
  /** The digest of what was shown, as the answer itself names it; it was compared. */
  readonly digest?: string;
}

export type ParseAnswerResult =
  | { readonly ok: true; readonly answer: ParsedAnswer }
  /** The reason why it does not fit, and what would: one line of the grammar each. Safe for a terminal. */
  | { readonly ok: false; readonly message: string; readonly fits: readonly string[] };

/** The context that an answer is read against. */
export interface AnswerContext {
  readonly interrupt: Interrupt;
  /** The tool that an edited input must fit; absent where it is not known here. */
  readonly tool?: ToolDescriptor;
}

/** The schema of an edited input, where the tool is known. */
export function inputSchemaOf({ tool }: AnswerContext): JsonObject | undefined {
  return tool?.inputSchema;
}
