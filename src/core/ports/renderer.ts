import type { SessionEvent } from '../state/event.js';
import type { NodePath, ToolRef } from '../data/ids.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import type { RunState } from '../state/state.js';
import type { ModelEvent } from './model.js';

/** An event that is shown but not stored. */
export type TransientEvent = (
  | Exclude<ModelEvent, { readonly type: 'reply' }>
  /** The conversation is being compacted, which needs a model request. */
  | { readonly type: 'compacting'; readonly messages: number }
  /** A reviewer is being asked about a call. */
  | { readonly type: 'reviewing'; readonly name: string }
  /** Progress reported by workflow code or a node. */
  | { readonly type: 'emitted'; readonly data: JsonValue }
  /** A question that is already open, for consumers that join late. */
  | { readonly type: 'interrupt-open'; readonly interrupt: Interrupt }
  | { readonly type: 'tool-progress'; readonly ref: ToolRef; readonly name: string; readonly text: string }
) & {
  /** Path of the node that the event belongs to; absent in a chat. */
  readonly scope?: NodePath;
};

/**
 * Keeps track of the last line on the screen, regardless of which code wrote it. A result can omit the name
 * of its call only directly below the line that reports the call. If another line comes between them, the
 * result must include the name.
 */
export class LastLine {
  #about: string | undefined;

  /**
   * The call whose start or decision the last line reports, as returned by `callAt`; `undefined` if the last
   * line reports anything else.
   */
  get about(): string | undefined {
    return this.#about;
  }

  /** Records that a line was written, and the call that it reports, if any. */
  wrote(about?: string): void {
    this.#about = about;
  }
}

/** Returns a key for a call that is unique among all running calls in a session. */
export function callAt(path: NodePath, ref: ToolRef): string {
  return `${path} ${ref}`;
}

/** Shows a session while it runs. */
export interface Renderer {
  /** Shows an event after it has become durable. `state` includes it. */
  event(event: SessionEvent, seq: number, state: RunState): void;
  transient(event: TransientEvent): void;
  /**
   * Shows a notice about the run, for example that the end of the journal was repaired or a model request was
   * retried.
   */
  notice(text: string): void;
  /** Hides the spinner and the status line before other code writes to the terminal. */
  pause(): void;
  /** Called when the run has stopped; shows the turn's usage and cost. */
  stopped(state: RunState): void;
}
