import type { JsonObject, JsonValue } from '../data/json.js';
import type { Part } from '../data/message.js';
import type { ToolErrorCode } from '../data/errors.js';

/** The outcome of a tool call. */
export type ToolOutcome =
  | {
      readonly type: 'output';
      readonly output: JsonValue;
      /** Further content of a multipart tool. */
      readonly content?: readonly Part[];
      readonly metadata?: JsonObject;
    }
  | { readonly type: 'error'; readonly code: ToolErrorCode; readonly message: string };

/** Origin of an outcome: the tool ran, a person supplied the result, or nothing ran. */
export type SettledVia = 'run' | 'restart' | 'respond' | 'human' | 'engine' | 'import';
