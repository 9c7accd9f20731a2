import type { ApprovalRequest, Call, InterruptDraft, JsonValue, Tool, ToolOutcome } from '../core/index.js';
import { deepFreeze, jsonEquals, messageOf, schemaDigest } from '../core/index.js';
import { bindingOf } from './binding.js';
import { checked } from './checked.js';
import type { RunOptions } from './run-options.js';
import type { Stop } from './stop.js';

/** A call whose tool may be entered, with the parsed and frozen input. */
export interface RunnableCall {
  readonly type: 'run';
  readonly call: Call;
  readonly tool: Tool;
  readonly input: JsonValue;
}

/** What may happen to a call before its tool is entered. */
export type PreparedCall =
  | RunnableCall
  | { readonly type: 'settle'; readonly call: Call; readonly outcome: ToolOutcome }
  | { readonly type: 'ask'; readonly call: Call; readonly draft: InterruptDraft };

/**
 * Looks a call's tool up, checks the input, and asks for approval where the tool needs one: all before
 * anything runs. A look-up, schema or approval problem never stops the siblings. Never throws.
 */
export async function prepareCall(
  call: Call,
  { tools, runId }: Pick<RunOptions, 'tools' | 'runId'>,
  stop: Stop,
): Promise<PreparedCall> {
  const { name, problem } = call.request;
  if (problem !== undefined) return refuse(call, 'invalid-input', problem);
  const tool = tools.get(name);
  if (tool === undefined) {
    const known = tools.descriptors.map((descriptor) => descriptor.name).join(', ');
    return refuse(
      call,
      'not-found',
      `there is no tool \`${name}\`; the tools are: ${known === '' ? 'none' : known}`,
    );
  }
  const parsed = await checked(() => tool.parseInput(call.input));
  if (!parsed.ok) {
    return refuse(
      call,
      'invalid-input',
      `the input of \`${name}\` does not fit: ${parsed.issues.join('; ')}`,
    );
  }
  const input = deepFreeze(parsed.value);
  // Who asks first tells whoever is there; what was agreed to all the same does not count.
  const forbidden = call.resolved === undefined ? undefined : tool.forbids?.(input);
  if (forbidden !== undefined) return refuse(call, 'rejected', `${forbidden}; it did not run`);
  const changed = isChanged(call, tool);
  if (!changed && approvedAsShown(call, input)) return { type: 'run', call, tool, input };
  const wanted = await approvalOf(tool, input, stop);
  if (wanted === undefined && !changed) return { type: 'run', call, tool, input };
  const asked = changed ? withWarning(wanted, CHANGED) : wanted;
  return {
    type: 'ask',
    call,
    draft: { ...approvalDraft(tool, call, input, asked), bound: bindingOf(tool, runId) },
  };
}

function refuse(call: Call, code: 'invalid-input' | 'not-found' | 'rejected', message: string): PreparedCall {
  return { type: 'settle', call, outcome: { type: 'error', code, message } };
}

const CHANGED = 'the tool is not as it was when this call was approved: its schema or its effect has changed';

/** True where a person approved the call for a tool that took or gave something else (G11). */
function isChanged({ approval }: Call, tool: Tool): boolean {
  return approval?.tool !== undefined && approval.tool !== schemaDigest(tool);
}

function withWarning(wanted: ApprovalRequest = {}, warning: string): ApprovalRequest {
  return { ...wanted, warnings: [...(wanted.warnings ?? []), warning] };
}

/** True where a recorded resolution approved exactly this input, shown or edited (G11). */
function approvedAsShown(call: Call, input: JsonValue): boolean {
  if (call.approval === undefined) return false;
  return call.approval.edited || jsonEquals(call.approval.input, input);
}

async function approvalOf(tool: Tool, input: JsonValue, stop: Stop): Promise<ApprovalRequest | undefined> {
  if (tool.approval === undefined) return undefined;
  const own = stop.child();
  try {
    return await tool.approval(input, own.signal);
  } catch (thrown) {
    // G35: a policy that cannot decide asks.
    return { warnings: [`whether this needs approval could not be decided: ${messageOf(thrown)}`] };
  } finally {
    own.release();
  }
}

function approvalDraft(
  tool: Tool,
  call: Call,
  input: JsonValue,
  wanted: ApprovalRequest = {},
): InterruptDraft {
  const { reason, facts, diff, warnings } = wanted;
  const payload: JsonValue = {
    ...(reason !== undefined && { reason }),
    ...(facts !== undefined && { facts }),
    ...(diff !== undefined && { diff }),
    ...(warnings !== undefined && warnings.length > 0 && { warnings }),
  };
  const { ref, name } = call.request;
  return {
    kind: 'confirmation',
    source: { type: 'tool', ref, name, input, raisedBy: 'approval' },
    payload,
    ...(tool.outputSchema !== undefined && { answerSchema: tool.outputSchema }),
  };
}
