import type { Renderer, Session, ToolSet } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { AnyStore } from '../store/index.js';

/** What a slash command works with. */
export interface SlashContext {
  readonly io: Io;
  readonly session: Session;
  readonly tools: ToolSet;
  readonly renderer: Renderer;
  readonly interactive: boolean;
  readonly store: AnyStore;
}
