import type { Interrupt } from '../data/interrupt.js';
import type { Resolution } from '../data/resolution.js';
import type { GraphFrame } from './state.js';
import { patchProblem } from './edit-state.js';
import { partsOf } from '../question/edits.js';
import { findTarget } from './live-path.js';

/**
 * Returns the reason that a resolution is invalid for the open interrupt of a graph; `undefined` if it is
 * valid.
 */
export function graphAnswerProblem(
  frame: GraphFrame,
  interrupt: Interrupt,
  resolution: Resolution,
): string | undefined {
  if (resolution.action === 'sequence') {
    if (resolution.actions.length === 0) return 'a sequence must contain at least one action';
    for (const one of resolution.actions) {
      if (one.action === 'sequence' || !interrupt.allowed.includes(one.action))
        return `\`${one.action}\` is not available here; allowed: ${interrupt.allowed.join(', ')}`;
    }
  }
  const { flows, patches } = partsOf(resolution);
  if (flows.length > 1)
    return `at most one action can continue the run: ${flows.map(({ action }) => action).join(', ')}`;
  for (const patch of patches) {
    const problem = patchProblem(frame, patch);
    if (problem !== undefined) return problem;
  }
  const [flow] = flows;
  const target = flow?.action === 'go-back' ? findTarget(frame, flow) : undefined;
  return typeof target === 'string' ? target : undefined;
}

/**
 * Returns the reason that a new resolution is invalid; `undefined` if it is valid. In addition to `graphAnswerProblem`,
 * a jump must lead to a known node. Journals are not checked for that, because earlier versions accepted any name.
 */
export function newGraphAnswerProblem(
  frame: GraphFrame,
  interrupt: Interrupt,
  resolution: Resolution,
): string | undefined {
  return graphAnswerProblem(frame, interrupt, resolution) ?? jumpProblem(frame, resolution);
}

function jumpProblem({ outline }: GraphFrame, resolution: Resolution): string | undefined {
  const [flow] = partsOf(resolution).flows;
  if (flow?.action !== 'goto' || outline === undefined) return undefined;
  const names = outline.nodes.map(({ name }) => name);
  return names.includes(flow.node)
    ? undefined
    : `unknown node \`${flow.node}\`; known nodes: ${names.join(', ')}`;
}
