import type { SessionRule } from '../rules/session-scope.js';
import { activationId, livePath } from '../graph/index.js';
import type { GraphFrame, HeldRule, RunState } from '../state.js';

// Invariants:
// H1 What was gone back over does not count any more: no rule outlives the question that it was made at, and one of
//    which nobody knows where it was made does not outlive going back.

/** The rule with the place of the question that it was made at. */
export function heldRule({ entries, graph }: RunState, rule: SessionRule): HeldRule {
  if (graph === undefined) return { ...rule, madeAt: entries.length };
  return graph.current === undefined ? rule : { ...rule, madeAt: activationId(graph.current) };
}

/** Leaves out the rules that were made after the first `keep` messages of a chat (H1). */
export function rulesBefore(rules: readonly HeldRule[], keep: number): readonly HeldRule[] {
  return rules.filter(({ madeAt }) => typeof madeAt === 'number' && madeAt < keep);
}

/** Leaves out the rules that were made in what a workflow went back over, and in what it does again (H1). */
export function rulesOnPath(rules: readonly HeldRule[], graph: GraphFrame): readonly HeldRule[] {
  const done = new Set<number | string>(
    livePath(graph).flatMap((one) => (one === graph.current ? [] : [activationId(one)])),
  );
  return rules.filter(({ madeAt }) => madeAt !== undefined && done.has(madeAt));
}
