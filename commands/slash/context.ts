import type { Renderer, Session, SessionStore, ToolSet } from '../../src/core/index.js';
import type { Io } from '../host/index.js';

/** What a slash command works with. */
export interface SlashContext {
  readonly io: Io;
  readonly session: Session;
  readonly tools: ToolSet;
  readonly renderer: Renderer;
  readonly interactive: boolean;
  readonly store: SessionStore;
}
