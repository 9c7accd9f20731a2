// Invariants:
// W1 A row of a store is a request of whoever can write to it: what it names of this machine (a folder, a module, a
//    workflow, a server, the address of a model) counts only where a worker, or `hitl tick`, was given it itself.
// W2 Paths are compared as they really are: a link out of a folder is outside of it.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { AgentFingerprint, Call, RunState } from '../../src/core/index.js';
import { membersOf, present } from '../../src/core/index.js';
import { chosenModel } from '../agent/choose-model.js';
import { serverName } from '../agent/agent.js';
import { effectiveFlags } from '../config/effective.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { pathHere } from '../host/index.js';

/**
 * End of the reason for paths outside the folders that a worker serves. `unservedLines` relies on this text.
 */
const OUTSIDE = 'outside the folders served here';

/** The folder in which a worker can resume a session, or the reason that it cannot. */
export type Served =
  | { readonly cwd: string }
  /** `isAlone`: the reason applies to a single call, not to the agent. */
  | { readonly why: string; readonly isAlone?: boolean };

/**
 * Returns the folder in which this worker resumes a session. This is the only place that checks the paths in
 * a session against the served folders (W1). Sessions that fail the check are left to other workers.
 * @param folders served folders, as real paths
 */
export async function servedBy(
  io: Io,
  flags: RunFlags,
  folders: readonly string[],
  state: RunState,
): Promise<Served> {
  const { agent, cwd: began } = state;
  const cwd = began !== undefined && existsSync(began) ? began : io.cwd;
  const isServed = (path: string): boolean => folders.some((folder) => isWithin(folder, realPlace(path)));
  if (!isServed(cwd)) return { why: `its folder \`${cwd}\` is ${OUTSIDE}` };
  const placed = (file: string): string => pathHere(file, { cwd, ...present({ began }) });
  const files = [...(flags.tools === undefined ? (agent?.modules ?? []) : []), agent?.flow];
  const module = files.filter((file) => file !== undefined).find((file) => !isServed(placed(file)));
  if (module !== undefined) return { why: `\`${module}\` is ${OUTSIDE}` };
  const path = openCalls(state)
    .flatMap(({ input, request }) => pathsIn(request.name, input))
    .find((named) => !isServed(resolve(cwd, named.replace(/^~(?=\/|$)/u, io.home))));
  if (path !== undefined)
    return {
      why: `a call uses \`${path}\`, ${OUTSIDE}`,
      isAlone: true,
    };
  const why = agent === undefined ? undefined : await foreignServer({ ...io, cwd }, flags, agent);
  return why === undefined ? { cwd } : { why };
}

/** Returns the folders that a worker serves: the folder in which it started, and the specified folders. */
export function servedFolders({ cwd }: Pick<Io, 'cwd'>, given: readonly string[] = []): readonly string[] {
  return [cwd, ...given].map((folder) => realPlace(resolve(cwd, folder)));
}

/**
 * Explains that the worker has no configuration for an MCP server or model server that the session requires.
 * Returns `undefined` if the worker has a configuration for each of them.
 */
async function foreignServer(io: Io, flags: RunFlags, agent: AgentFingerprint): Promise<string | undefined> {
  const { mcp = [], server } = agent;
  if (mcp.length === 0 && server === undefined) return undefined;
  const { flags: own, config } = await effectiveFlags(io, flags);
  const known = new Set([...Object.keys(membersOf(config.mcpServers ?? {})), ...(own.mcp ?? [])]);
  const other = own.mcp === undefined ? mcp.find((name) => !known.has(name)) : undefined;
  if (other !== undefined) return `server \`${other}\` is not configured here`;
  if (server === undefined || own.baseUrl !== undefined) return undefined;
  const { server: _named, ...saved } = agent;
  const { baseUrl } = await chosenModel(io, own, { config, saved });
  if (serverName(baseUrl) === server) return undefined;
  return `its model server \`${server}\` is not configured here; set --base-url`;
}

/** Returns all calls in a session that are not settled, including those in workflow nodes. */
function openCalls({ open, graph }: RunState): readonly Call[] {
  const current = graph?.current;
  const frames = current?.phase === 'run' ? [...current.frames.values()] : [];
  return [...(open?.calls ?? []), ...frames.flatMap(openCalls)].filter(
    ({ state }) => state.status !== 'settled',
  );
}

/** Input properties of built-in tools that contain a local path. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  read_file: ['path'],
  write_file: ['path'],
  edit_file: ['path'],
  list_files: ['path'],
  search_files: ['path'],
  run_command: ['cwd'],
};

function pathsIn(tool: string, input: Call['input']): readonly string[] {
  const members = membersOf(input);
  return (PLACES[tool] ?? []).map((name) => members[name]).filter((path) => typeof path === 'string');
}

function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below));
}

/** Resolves links in a path, even if the path does not exist (W2). */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPlace(above), basename(path));
  }
}
