import type { AgentFingerprint } from '../../src/core/index.js';
import { HitlError, sha256 } from '../../src/core/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { Io } from '../host/index.js';
import type { FileContent } from '../trust/index.js';
import { isTrusted, keepTrust } from '../trust/index.js';

/**
 * The servers that `--mcp` names, or those of the session. What a flag names is consent, and is kept; what a session
 * names is a program that somebody may have written into it, and a person trusts it first (G34).
 * @throws HitlError USAGE where nobody can be asked, or nobody agrees.
 */
export async function trustedServers(
  io: Io,
  flags: RunFlags,
  mode: Mode,
  saved: Pick<AgentFingerprint, 'mcp'> | undefined,
): Promise<readonly string[]> {
  const { mcp } = flags;
  if (mcp !== undefined) {
    if (flags.save && mcp.length > 0) await keepTrust(io, mcp.map(contentOf));
    return mcp;
  }
  const named = saved?.mcp ?? [];
  if (named.length === 0) return [];
  const what = named.length === 1 ? 'a server of this session' : 'one of the servers of this session';
  const agreed = await isTrusted(io, flags, mode, {
    what,
    files: named.map(contentOf),
    lines: ['a program that runs with your rights, or an address that its calls are sent to'],
    otherwise: 'or name the servers to use: --mcp <server>',
  });
  if (agreed) return named;
  throw new HitlError('USAGE', `${what} is not trusted; nothing was started`, {
    hint: 'hitl answer <id> answers an open question without starting anything',
  });
}

/** A server as trust is kept in it: its words are all that there is of it. */
function contentOf(named: string): FileContent {
  return { path: `--mcp ${named}`, sha256: sha256(named) };
}
