import type { Renderer, Session, ToolSet } from '../src/core/index.js';
import type { Io } from './io.js';
import type { AnyStore } from './store.js';

/** What a slash command works with. */
export interface SlashContext {
  readonly io: Io;
  readonly session: Session;
  readonly tools: ToolSet;
  readonly renderer: Renderer;
  readonly interactive: boolean;
  readonly store: AnyStore;
}
