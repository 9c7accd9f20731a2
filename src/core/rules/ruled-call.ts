import type { ToolDescriptor } from '../agent/index.js';
import type { JsonValue } from '../json/index.js';

/** A call as rules look at it. */
export interface RuledCall {
  readonly name: string;
  readonly input: JsonValue;
  /** The question about it, as it is shown; without it, rules about a part of a tool's calls allow nothing. */
  readonly payload?: JsonValue;
  /** The tool as it is now; absent where it is not offered. */
  readonly tool?: ToolDescriptor;
  /** The time, in milliseconds since 1970; without it, a rule that ends allows nothing. */
  readonly at?: number;
}
