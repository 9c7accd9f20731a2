import type { ApprovalRequest, CallScene, Deadline, JsonValue, Tool } from '../core/index.js';
import { bothApprovers, lasting, narrowedTwice, present, withPeople } from '../core/index.js';

/**
 * Decides whether an input needs approval: returns a boolean, or the request to show. `own` is the request
 * that the tool itself makes.
 */
export type NeedsApproval = (
  input: JsonValue,
  signal: AbortSignal,
  own: ApprovalRequest | undefined,
  call: CallScene,
) => boolean | ApprovalRequest | undefined | Promise<boolean | ApprovalRequest | undefined>;

/**
 * Adds a confirmation to a tool, for every input or for those for which the predicate returns true. The
 * tool's own confirmations are kept. If the predicate throws, the input needs confirmation (G35).
 * @param deadline the time limit, unless the tool or predicate sets one
 */
export function requireApproval<Wrapped extends Tool>(
  tool: Wrapped,
  needed?: NeedsApproval,
  deadline?: Deadline,
): Wrapped {
  return {
    ...tool,
    ...(needed === undefined && { asksAlways: true }),
    async approval(input: JsonValue, signal: AbortSignal, call: CallScene) {
      const own = await tool.approval?.(input, signal, call);
      const asked = needed === undefined || (await needed(input, signal, own, call));
      const request =
        asked === undefined || asked === false ? own : merged(own ?? {}, asked === true ? {} : asked);
      return request === undefined || deadline === undefined ? request : { deadline, ...request };
    },
  };
}

function merged(own: ApprovalRequest, asked: ApprovalRequest): ApprovalRequest {
  const warnings = [...(own.warnings ?? []), ...(asked.warnings ?? [])];
  const allowed = narrowedTwice(own.allowed, asked.allowed);
  const approvers = bothApprovers(own.approvers, asked.approvers);
  const timed =
    asked.deadline === undefined
      ? own.deadline && withPeople(own.deadline, asked.approvers)
      : bothTimes(own, { ...asked, deadline: asked.deadline });
  const deadline = timed && lasting(timed, own.deadline?.approvalLasts);
  return {
    ...own,
    ...asked,
    ...(deadline !== undefined && { deadline }),
    ...((own.facts ?? asked.facts) && { facts: { ...own.facts, ...asked.facts } }),
    ...present({ allowed, approvers }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/**
 * Combines the deadlines of a tool and a request. If the request limits only how long the approval is valid,
 * the tool's time limit is kept.
 */
function bothTimes(own: ApprovalRequest, asked: ApprovalRequest & { readonly deadline: Deadline }): Deadline {
  const { approvalLasts, ...time } = asked.deadline;
  return Object.keys(time).length > 0 || own.deadline === undefined
    ? withPeople(asked.deadline, own.approvers)
    : { ...withPeople(own.deadline, asked.approvers), ...present({ approvalLasts }) };
}
