import type { ApprovalRequest, JsonValue, Tool } from '../core/index.js';

/** Whether an input needs a person: yes or no, or what to tell the person. `own` is what the tool itself wants confirmed. */
export type NeedsApproval = (
  input: JsonValue,
  signal: AbortSignal,
  own: ApprovalRequest | undefined,
) => boolean | ApprovalRequest | undefined | Promise<boolean | ApprovalRequest | undefined>;

/**
 * Puts a confirmation in front of a tool: for every input, or for those that the predicate names. What the tool
 * itself wants confirmed stays confirmed. A predicate that throws counts as yes (G35).
 */
export function requireApproval<Wrapped extends Tool>(
  tool: Wrapped,
  needed: NeedsApproval = () => true,
): Wrapped {
  return {
    ...tool,
    async approval(input: JsonValue, signal: AbortSignal) {
      const own = await tool.approval?.(input, signal);
      const asked = await needed(input, signal, own);
      return asked === undefined || asked === false ? own : merged(own ?? {}, asked === true ? {} : asked);
    },
  };
}

function merged(own: ApprovalRequest, asked: ApprovalRequest): ApprovalRequest {
  const warnings = [...(own.warnings ?? []), ...(asked.warnings ?? [])];
  return {
    ...own,
    ...asked,
    ...((own.facts ?? asked.facts) && { facts: { ...own.facts, ...asked.facts } }),
    ...(warnings.length > 0 && { warnings }),
  };
}
