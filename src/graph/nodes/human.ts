import { withoutSecrets } from '../../core/index.js';
import type { HumanNode, NodeBody } from '../graph-definition.js';

/** The body of a node that asks a person: the answer is its output, with masks in the place of secrets. */
export function humanBody({ question }: HumanNode): NodeBody {
  return async (state, context) => {
    const asked = question(state, context);
    return { output: withoutSecrets(await context.ask(asked), asked.schema) };
  };
}
