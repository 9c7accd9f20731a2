import type { ApprovalRequest, Facts, JsonObject, RuledCall } from '../../src/core/index.js';
import { isAboutSandbox, mcpToolName, NO_SCENE, requestJson, SANDBOX } from '../../src/core/index.js';
import type { StartedPath } from '../../src/files/index.js';
import { realFolder } from '../../src/files/index.js';
import type { BuiltinOptions } from '../../src/tools/index.js';
import { builtinTool } from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import { inFolder, ownFolders } from '../host/index.js';
import type { AgentName } from './agents.js';
import { AGENT_ROWS } from './agents.js';
import type { Look, LookedAt } from './looks.js';

/** An agent's call. */
export interface AgentCall {
  readonly agent: AgentName;
  readonly tool: string;
  readonly input: JsonObject;
  readonly folder: string;
}

/** An agent's call, prepared for the rules and for display. */
export interface PlannedCall {
  /** The calls that the rules judge. There are several if the agent's call changes several files. */
  readonly ruled: readonly RuledCall[];
  /** Whether rules may allow it. */
  readonly isWhole: boolean;
  /** The request shown to people; absent if a built-in tool would not ask. */
  readonly request?: ApprovalRequest;
}

/** Finds the files in a folder that programs start or load. */
export type Starts = (folder: string) => () => readonly StartedPath[];

/** Returns the name that rules use for an agent's tool. */
export function ruledName({ agent, tool }: Pick<AgentCall, 'agent' | 'tool'>): string {
  return lookOf({ agent, tool })?.name ?? ownName(tool);
}

function lookOf({ agent, tool }: Pick<AgentCall, 'agent' | 'tool'>): Look | undefined {
  const { looks } = AGENT_ROWS[agent];
  return Object.hasOwn(looks, tool) ? looks[tool] : undefined;
}

/** Plans an agent's call as if it were a call to a built-in tool in the agent's folder. */
export async function plannedCall(
  io: Io,
  { agent, tool, input, folder }: AgentCall,
  starts: Starts,
): Promise<PlannedCall> {
  const look = lookOf({ agent, tool });
  return plannedLook(io, { look, name: ruledName({ agent, tool }), input, folder }, starts);
}

/**
 * A call and how to interpret it. Without `look`, the input is not interpreted, so rules cannot allow the
 * call.
 */
interface LookingAt extends Pick<AgentCall, 'input' | 'folder'> {
  readonly look: Look | undefined;
  readonly name: string;
}

/**
 * Plans a call as if it were a call to a built-in tool in the given folder. Reads files, but runs nothing.
 */
export async function plannedLook(
  io: Io,
  { look, name, input, folder }: LookingAt,
  starts: Starts,
): Promise<PlannedCall> {
  const unseen = { ruled: [{ name, input, at: io.clock.now() }], isWhole: false, request: {} };
  if (look === undefined) return unseen;
  const cwd = realFolder(folder);
  const options = {
    ...{
      cwd,
      env: io.env,
      home: io.home,
      clock: io.clock,
      ownFolders: ownFolders(inFolder(io, cwd), undefined),
    },
    starts: starts(cwd),
    sandbox: { mode: 'off' as const },
  };
  const found = await look.at(input, options);
  if (found === undefined) return unseen;
  const requests: (ApprovalRequest | undefined)[] = [];
  for (const one of found) requests.push(await requestOf(one, options));
  const asked = requests.filter((one) => one !== undefined);
  return {
    ruled: found.map((one, at) => ({
      name: one.name,
      input: one.input,
      payload: requestJson({ facts: {}, ...requests[at] }),
      at: io.clock.now(),
    })),
    isWhole: found.every((one) => one.isWhole),
    ...(asked.length > 0 && { request: joinedRequests(asked) }),
  };
}

/**
 * Facts about how hitl itself runs commands and fetches URLs. They do not apply to calls that an agent runs.
 */
const OURS: ReadonlySet<string> = new Set(['shell', 'environment', 'time limit', 'resolves to', SANDBOX]);

async function requestOf(
  { name, by = name, input, isPlace }: LookedAt,
  options: BuiltinOptions,
): Promise<ApprovalRequest | undefined> {
  const tool = builtinTool(by, options);
  const parsed = await tool?.parseInput(input);
  const { signal } = new AbortController();
  const problem =
    parsed?.ok === false ? parsed.issues.join('; ') : await tool?.problem?.(parsed?.value ?? null, signal);
  if (tool === undefined || parsed?.ok !== true || problem !== undefined)
    return { warnings: [`hitl cannot tell what this does: ${problem ?? by}`] };
  const asked = await tool.approval?.(parsed.value, signal, NO_SCENE);
  if (asked === undefined) return undefined;
  const { facts = {}, diff, warnings = [] } = asked;
  const left = Object.entries(facts).filter(
    ([key]) => !OURS.has(key) && (isPlace !== true || key !== 'change'),
  );
  return {
    facts: Object.fromEntries(left),
    ...(diff !== undefined && isPlace !== true && { diff }),
    warnings: warnings.filter((one) => !isAboutSandbox(one)),
  };
}

/** Combines the requests for all parts of a call into one. */
function joinedRequests([first = {}, ...more]: readonly ApprovalRequest[]): ApprovalRequest {
  if (more.length === 0) return first;
  const all = [first, ...more];
  const facts: Facts = Object.fromEntries(
    all.flatMap((one, at) =>
      Object.entries(one.facts ?? {}).map(([key, value]) => [at === 0 ? key : `${key} (${at + 1})`, value]),
    ),
  );
  return { facts, warnings: [...new Set(all.flatMap(({ warnings = [] }) => warnings))] };
}

/**
 * Returns the name that rules use for a tool that is not built in. MCP tools are named like those of hitl's
 * own MCP servers.
 */
function ownName(tool: string): string {
  const [, server = '', name] = /^mcp__(.+?)__(.+)$/u.exec(tool) ?? [];
  return name === undefined ? tool : mcpToolName(server, name);
}
