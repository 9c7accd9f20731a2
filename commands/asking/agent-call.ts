import * as z from 'zod/mini';
import type { AnswerWay, ApprovalRequest, JsonObject, Tool } from '../../src/core/index.js';
import { isJsonObject, present, RUNS_IT } from '../../src/core/index.js';
import { defineTool } from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import { AGENTS, AGENT_ROWS, EVENTS } from './agents.js';
import type { HookEvent } from './agents.js';
import type { AgentCall, Starts } from './planned.js';
import { plannedCall } from './planned.js';

/** Names of the tools by which agents ask about their calls. */
const AGENT_CALL = 'agent_call';
const AGENT_COMMAND = 'agent_command';

const about = () => ({
  from: z.string().check(z.minLength(1), z.maxLength(300)),
  agent: z.enum(AGENTS),
  event: z.enum(EVENTS),
  session: z.string(),
  call: z.optional(z.string()),
  folder: z.string(),
  tool: z.string(),
});

const Call = z.object({ ...about(), input: z.record(z.string(), z.json()) });
const Command = z.object({
  ...about(),
  command: z.string().check(z.minLength(1)),
  more: z.record(z.string(), z.json()),
});

/** Properties that a person who edits a call must not change: they say which call it is. */
export const FIXED = ['from', 'agent', 'event', 'session', 'call', 'folder', 'tool'] as const;

/** The result of an approved call: the agent may make it. Nothing runs here. */
const ALLOWED = { allowed: true };

/**
 * Asks about calls of other agents, planned as if they were calls of ours. Their bodies run nothing, so what runs is not
 * held to what a reviewer saw: they are not `reviewable`.
 * @param heardMs how long the agent's hook can hear an answer; by default without an end
 */
export function agentTools(io: Io, starts: Starts, heardMs?: number): Readonly<Record<string, Tool>> {
  const approval = async (asked: z.infer<typeof Call>): Promise<ApprovalRequest> => {
    const { agent, event, tool, input, folder } = asked;
    const { request = {} } = await plannedCall(io, { agent, tool, input, folder }, starts);
    const ways: AnswerWay[] = ['approve', 'reject', 'respond', 'cancel'];
    return {
      ...request,
      facts: { ...request.facts, [RUNS_IT]: `${agent}, not hitl; it says that it will` },
      ...(!AGENT_ROWS[agent].takesEdit(event) && { allowed: ways }),
      // Also where the hook was killed, which nobody tells.
      ...(heardMs !== undefined && { deadline: { timeout: heardMs, onTimeout: 'cancel' } }),
    };
  };
  const shared = { effect: 'none', endsRun: true, origin: 'hitl hook' } as const;
  return {
    [AGENT_CALL]: defineTool(
      {
        ...shared,
        name: AGENT_CALL,
        description: 'Asks about a call that another agent is about to make.',
        input: Call,
        title: ({ from, tool, input }) => `${from} wants to: ${titleOf(tool, input)}`,
        approval,
      },
      () => ALLOWED,
    ),
    [AGENT_COMMAND]: defineTool(
      {
        ...shared,
        name: AGENT_COMMAND,
        description: 'Asks about a command that another agent is about to run.',
        input: Command,
        editing: { field: 'command' },
        title: ({ from, command }) => `${from} wants to: ${titleOf('Bash', { command })}`,
        approval: ({ command, more, ...rest }) => approval({ ...rest, input: { ...more, command } }),
      },
      () => ALLOWED,
    ),
  };
}

/** A call as it is asked about. */
interface AskedCall extends AgentCall, Pick<HookEvent, 'event' | 'session' | 'call'> {
  readonly from: string;
}

/** The tool and the input by which a call is asked about. */
export function askedAs({ call, ...named }: AskedCall): {
  readonly tool: string;
  readonly input: JsonObject;
} {
  const { input, ...rest } = { ...named, ...present({ call }) };
  const { looks } = AGENT_ROWS[rest.agent];
  const field = Object.hasOwn(looks, rest.tool) ? looks[rest.tool]?.field : undefined;
  const { command, ...more } = input;
  if (field === undefined || typeof command !== 'string' || command === '')
    return { tool: AGENT_CALL, input: { ...rest, input } };
  return { tool: AGENT_COMMAND, input: { ...rest, command, more } };
}

/** The agent's own input in that of its question. */
export function inputAsked(input: JsonObject): JsonObject | undefined {
  const { command, more, input: whole } = input;
  if (isJsonObject(whole)) return whole;
  return typeof command === 'string' && isJsonObject(more) ? { ...more, command } : undefined;
}

/** A call in one line, as one of ours where it is like one. */
function titleOf(tool: string, input: JsonObject): string {
  const { command, file_path: path, url } = input;
  if (typeof command === 'string' && !command.startsWith('*** ')) return `Run \`${command}\``;
  const [what] = [path, url].filter((one) => typeof one === 'string');
  return what === undefined ? `use ${tool}` : `${tool} ${what}`;
}
