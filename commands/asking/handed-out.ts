import { existsSync, writeFileSync } from 'node:fs';
import type { OutputStore, SessionId } from '../../src/core/index.js';

/** Remembers whose answers were handed out. */
export interface HandedOut {
  note(id: SessionId): void;
  has(id: SessionId): boolean;
}

const FILE = 'handed-out';

/** Remembers it by an empty file beside the session's own. */
export function handedOutBeside({ fileBeside }: Pick<OutputStore, 'fileBeside'>): HandedOut {
  return {
    note(id) {
      writeFileSync(fileBeside(id, FILE), '', { mode: 0o600 });
    },
    has: (id) => existsSync(fileBeside(id, FILE)),
  };
}
