import type { Activation, GraphFrame, JsonValue, RunState, SessionEvent } from '../../core/index.js';
import { HitlError, toolRef, toolSetOf } from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';
import type { ToolNode } from '../graph-definition.js';
import { withCode } from './agent.js';

/** A tool node is a chat of one call: the same approval, interrupts, doubts and edits as in any chat. */
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

  /** The output of the call, or why there is none. */
  result({ entries }: RunState): { readonly output: JsonValue } | { readonly error: HitlError } {
    const call = entries.at(-2)?.calls?.[0]?.state;
    const outcome = call?.status === 'settled' ? call.outcome : undefined;
    if (outcome?.type === 'output') return { output: outcome.output };
    return { error: new HitlError('NODE_FAILED', outcome?.message ?? 'the call has no output') };
  },
};
