import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentName } from '../asking/agents.js';
import type { Io } from '../host/index.js';
import { stateFolder } from '../host/index.js';

function markOf(io: Pick<Io, 'env' | 'home'>, agent: AgentName): string {
  return join(stateFolder(io), 'hooks', agent);
}

/** Records that an agent has run its hook. Agents skip hooks that they do not trust without reporting it. */
export function noteHeard(io: Pick<Io, 'env' | 'home'>, agent: AgentName): void {
  const mark = markOf(io, agent);
  try {
    mkdirSync(join(stateFolder(io), 'hooks'), { recursive: true, mode: 0o700 });
    writeFileSync(mark, '', { mode: 0o600 });
  } catch {
    // a note for `hitl hook status`; what it is about goes on
  }
}

/** Hint to show if Codex has never run its hook. */
export const TRUST_IN_CODEX = 'Codex skips untrusted hooks: start codex, then run /hooks';

/** Returns the time at which an agent last ran its hook (ISO 8601), or `undefined` if it never has. */
export function lastHeard(io: Pick<Io, 'env' | 'home'>, agent: AgentName): string | undefined {
  return statSync(markOf(io, agent), { throwIfNoEntry: false })?.mtime.toISOString();
}
