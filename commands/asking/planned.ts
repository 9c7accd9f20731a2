import type { ApprovalRequest, Facts, JsonObject, RuledCall, Tool } from '../../src/core/index.js';
import { isAboutSandbox, mcpToolName, NO_SCENE, requestJson, SANDBOX } from '../../src/core/index.js';
import type { StartedPath } from '../../src/files/index.js';
import { realFolder } from '../../src/files/index.js';
import { builtinTools } from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import { inFolder, ownFolders } from '../host/index.js';
import type { AgentName } from './agents.js';
import { AGENT_ROWS } from './agents.js';
import type { LookedAt } from './looks.js';

/** A call of an agent. */
export interface AgentCall {
  readonly agent: AgentName;
  readonly tool: string;
  readonly input: JsonObject;
  readonly folder: string;
}

/** A call of an agent as it is judged and shown. */
export interface PlannedCall {
  /** What rules decide on; several for a call that changes several files. */
  readonly ruled: readonly RuledCall[];
  /** Whether rules may allow it. */
  readonly isWhole: boolean;
  /** What people are shown; absent where a call of ours would not be asked about. */
  readonly request?: ApprovalRequest;
}

/** Finds what is started or loaded in a folder. */
export type Starts = (folder: string) => () => readonly StartedPath[];

/** Looks at a call as if a tool of ours were called in its folder. Reads files, and runs nothing. */
export async function plannedCall(
  io: Io,
  { agent, tool, input, folder }: AgentCall,
  starts: Starts,
): Promise<PlannedCall> {
  const { looks } = AGENT_ROWS[agent];
  const look = Object.hasOwn(looks, tool) ? looks[tool] : undefined;
  const name = look?.name ?? ownName(tool);
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
  const tools = builtinTools(options);
  const requests: (ApprovalRequest | undefined)[] = [];
  for (const one of found) requests.push(await requestOf(one, tools));
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

/** Facts of our runs of a command, which say nothing about a run of the agent's. */
const OURS: ReadonlySet<string> = new Set(['shell', 'environment', 'time limit', SANDBOX]);

async function requestOf(
  { name, by = name, input, isPlace }: LookedAt,
  tools: readonly Tool[],
): Promise<ApprovalRequest | undefined> {
  const tool = tools.find((one) => one.name === by);
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

/** The question about all parts of a call. */
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

/** The name by which rules name a tool that is none of ours: that of a server's as our own servers' are named. */
function ownName(tool: string): string {
  const [, server = '', name] = /^mcp__(.+?)__(.+)$/u.exec(tool) ?? [];
  return name === undefined ? tool : mcpToolName(server, name);
}
