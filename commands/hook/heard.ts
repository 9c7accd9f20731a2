import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentName } from '../asking/agents.js';
import type { Io } from '../host/index.js';
import { stateFolder } from '../host/index.js';

function markOf(io: Pick<Io, 'env' | 'home'>, agent: AgentName): string {
  return join(stateFolder(io), 'hooks', agent);
}

/** Notes that an agent started its hook: an agent that does not trust one skips it without a word. */
export function noteHeard(io: Pick<Io, 'env' | 'home'>, agent: AgentName): void {
  const mark = markOf(io, agent);
  try {
    mkdirSync(join(stateFolder(io), 'hooks'), { recursive: true, mode: 0o700 });
    writeFileSync(mark, '', { mode: 0o600 });
  } catch {
    // a note for `hitl hook status`; what it is about goes on
  }
}

/** What to do if Codex never started its hook. */
export const TRUST_IN_CODEX = 'Codex skips hooks that you have not trusted: start codex, /hooks';

/** When an agent last started its hook, ISO 8601; `undefined` if it never did. */
export function lastHeard(io: Pick<Io, 'env' | 'home'>, agent: AgentName): string | undefined {
  return statSync(markOf(io, agent), { throwIfNoEntry: false })?.mtime.toISOString();
}
