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
  /** A question that was already open, for consumers that start here. */
  | { readonly type: 'interrupt-open'; readonly interrupt: Interrupt }
  | { readonly type: 'tool-progress'; readonly ref: ToolRef; readonly name: string; readonly text: string }
) & {
  /** The node of the event; absent in a chat. */
  readonly scope?: NodePath;
};

/**
 * The last line of a screen, whoever wrote it. A result without a name stands below the line of its own call, and
 * nowhere else: so whoever writes a line ends what the one before was about.
 */
export class LastLine {
  #about: string | undefined;

  /** The call whose start or decision it tells, as `callAt` names it; none for any other line. */
  get about(): string | undefined {
    return this.#about;
  }

  /** A line was written, about this call, or about none. */
  wrote(about?: string): void {
    this.#about = about;
  }
}

/** Names a call among all that run in a session. */
export function callAt(path: NodePath, ref: ToolRef): string {
  return `${path} ${ref}`;
}

/** Shows a session while it runs. */
export interface Renderer {
  /** Shows an event after it became durable. `state` includes it. */
  event(event: SessionEvent, seq: number, state: RunState): void;
  transient(event: TransientEvent): void;
  /** Shows a notice about the run: a repaired tail, a retried model request. */
  notice(text: string): void;
  /** Hides spinner and status line before something else writes to the terminal. */
  pause(): void;
  /** Called when the run stopped; shows the turn's usage and cost. */
  stopped(state: RunState): void;
}
