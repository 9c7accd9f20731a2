import * as z from 'zod/mini';
import type { AnswerWay, ApprovalRequest, JsonObject, Tool } from '../../src/core/index.js';
import { isJsonObject, present, RUNS_IT } from '../../src/core/index.js';
import { defineTool } from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import { AGENTS, AGENT_ROWS, EVENTS } from './agents.js';
import type { HookEvent } from './agents.js';
import type { AgentCall, Starts } from './planned.js';
import { plannedCall } from './planned.js';

/** Names of the tools that ask for approval of an agent's call. */
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

/** Properties that must not change when a person edits a call, because they identify it. */
export const FIXED = ['from', 'agent', 'event', 'session', 'call', 'folder', 'tool'] as const;

/** The result of an approved call: the agent may make it. Nothing runs in hitl. */
const ALLOWED = { allowed: true };

/**
 * Returns the tools that ask about other agents' calls. The calls are planned as if they were calls to hitl's
 * built-in tools. The tools themselves run nothing. They are not `reviewable`, because hitl cannot make the
 * agent run exactly what a reviewer saw.
 * @param heardMs how long the agent's hook waits for an answer, in milliseconds; no limit by default
 */
export function agentTools(io: Io, starts: Starts, heardMs?: number): Readonly<Record<string, Tool>> {
  const approval = async (asked: z.infer<typeof Call>): Promise<ApprovalRequest> => {
    const { agent, event, tool, input, folder } = asked;
    const { request = {} } = await plannedCall(io, { agent, tool, input, folder }, starts);
    const ways: AnswerWay[] = ['approve', 'reject', 'respond', 'cancel'];
    return {
      ...request,
      facts: { ...request.facts, [RUNS_IT]: `${agent}, not hitl (according to the agent)` },
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

/** An agent's call that a person is asked about. */
interface AskedCall extends AgentCall, Pick<HookEvent, 'event' | 'session' | 'call'> {
  readonly from: string;
}

/** Returns the tool and input used to ask about a call. */
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

/** Extracts the input of the agent's call from the input of the question about it. */
export function inputAsked(input: JsonObject): JsonObject | undefined {
  const { command, more, input: whole } = input;
  if (isJsonObject(whole)) return whole;
  return typeof command === 'string' && isJsonObject(more) ? { ...more, command } : undefined;
}

/** Formats a call on one line. If it resembles a call to a built-in tool, it is formatted like one. */
function titleOf(tool: string, input: JsonObject): string {
  const { command, file_path: path, url } = input;
  if (typeof command === 'string' && !command.startsWith('*** ')) return `Run \`${command}\``;
  const [what] = [path, url].filter((one) => typeof one === 'string');
  return what === undefined ? `use ${tool}` : `${tool} ${what}`;
}
