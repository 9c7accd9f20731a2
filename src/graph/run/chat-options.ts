import type {
  Activation,
  GraphFrame,
  JsonValue,
  RunEnd,
  RunState,
  SessionEvent,
  Tool,
  ToolSet,
} from '../../core/index.js';
import {
  isNamedByHand,
  replySettings,
  textOf,
  textPart,
  toolSetOf,
  HitlError,
  lastCalls,
  toolRef,
} from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';
import type { AgentNode, ToolNode } from '../definition/graph-definition.js';

/**
 * Returns an agent's first message: its prompt, and the instructions from people who sent the run to this
 * node.
 */
export function promptOf(node: AgentNode, frame: GraphFrame, current: Activation): SessionEvent {
  const given =
    current.input?.value ??
    (node.prompt === undefined ? frame.values.get('input') : node.prompt(frame.state));
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? '');
  const content = [text, ...current.guidance].map((words) => textPart(words));
  return { type: 'message-added', message: { role: 'user', content } };
}

/** Returns an agent's output: the final tool's output, or else the text of its last message (C-18). */
export function replyOutput(reason: RunEnd, { entries }: RunState): JsonValue {
  if (reason.type === 'finished' && reason.output !== undefined) return reason.output;
  const last = entries.at(-1)?.message;
  return last?.role === 'model' ? textOf(last) : '';
}

/** Marks a graph's tool with the graph's code, unless the tool was loaded from another module. */
export function withCode(tool: Tool, code: string | undefined): Tool {
  return code === undefined || !isNamedByHand(tool.code) ? tool : { ...tool, code };
}

function codedSet(tools: ToolSet, code: string): ToolSet {
  const coded = Array.from(tools, (tool) => withCode(tool, code));
  return toolSetOf(coded, tools.descriptors);
}

/** Returns an agent's options, using the run's options for those that the agent does not set. */
export function agentOptions(
  node: Pick<AgentNode, 'model' | 'tools' | 'system' | 'limits' | 'effort' | 'thinking'>,
  shared: RunOptions,
  code: string | undefined,
): RunOptions {
  const { model, tools, system, limits } = node;
  return {
    ...shared,
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools: code === undefined ? tools : codedSet(tools, code) }),
    ...(system !== undefined && { system }),
    ...(limits !== undefined && { limits }),
    ...replySettings(node),
  };
}

/**
 * Runs a tool node as a chat with a single call, so that approvals, interrupts, in-doubt handling and edits
 * work as in any chat.
 */
export const toolRun = {
  first({ tool, input }: ToolNode, frame: GraphFrame, current: Activation): SessionEvent {
    const ref = toolRef(`${current.node}-${current.visit}`);
    const value = current.input?.value ?? input(frame.state);
    const content = [{ type: 'tool-request' as const, ref, name: tool.name, input: value }];
    return { type: 'message-added', message: { role: 'model', content } };
  },

  options({ tool }: ToolNode, shared: RunOptions, code: string | undefined): RunOptions {
    return {
      ...shared,
      tools: toolSetOf([withCode(tool, code)]),
      onToolError: 'tell-model',
      stopWhen: () => tool.name,
    };
  },

  /** Returns the call's output, or the error if it has no output. */
  result(state: RunState): { readonly output: JsonValue } | { readonly error: HitlError } {
    const call = lastCalls(state)?.[0]?.state;
    const outcome = call?.status === 'settled' ? call.outcome : undefined;
    if (outcome?.type === 'output') return { output: outcome.output };
    return { error: new HitlError('NODE_FAILED', outcome?.message ?? 'the call has no output') };
  },
};
