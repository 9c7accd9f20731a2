import type { JsonObject, JsonValue } from '../data/json.js';
import type { Part } from '../data/message.js';
import type { ToolErrorCode } from '../data/errors.js';

/** A tool call's outcome. */
export type ToolOutcome =
  | {
      readonly type: 'output';
      readonly output: JsonValue;
      /** Additional content from a multipart tool. */
      readonly content?: readonly Part[];
      readonly metadata?: JsonObject;
    }
  | { readonly type: 'error'; readonly code: ToolErrorCode; readonly message: string };

/** Origin of an outcome. For example, the tool ran, a person provided the result, or nothing ran. */
export type SettledVia = 'run' | 'restart' | 'respond' | 'human' | 'engine' | 'import';
