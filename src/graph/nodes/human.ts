import type { HumanNode, NodeBody } from '../graph-definition.js';

/** The body of a node that asks a person: the answer is its output. */
export function humanBody({ question }: HumanNode): NodeBody {
  return async (state, context) => ({ output: await context.ask(question(state)) });
}
