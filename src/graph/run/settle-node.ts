import type { Activation, GraphState, SecretVault, SessionEvent, StateChanges } from '../../core/index.js';
import { HitlError, isJsonObject } from '../../core/index.js';
import { checkJson, checkPatch } from '../state/check-state.js';
import { reducePatch } from '../state/reducers.js';
import type { Graph, NodeDefinition, NodeResult } from '../definition/graph-definition.js';
import { schemaProblem } from '../definition/node-schema.js';

type NodeSettled = SessionEvent & { readonly type: 'node-settled' };

const RESULT_KEYS = ['output', 'patch', 'unset'];

/**
 * Reads a body's return value: an object with `output`, `patch` and `unset`, or else the output itself.
 * @throws HitlError NODE_FAILED if such an object has other properties, because it would be ambiguous.
 */
export function asResult(returned: unknown): { readonly [Key in keyof NodeResult]?: unknown } {
  if (returned === undefined) return {};
  if (!isJsonObject(returned)) return { output: returned };
  const keys = Object.keys(returned);
  const strange = keys.filter((key) => !RESULT_KEYS.includes(key));
  if (strange.length === keys.length) return { output: returned };
  if (strange.length === 0) return returned;
  const known = keys.filter((key) => RESULT_KEYS.includes(key)).join(', ');
  throw new HitlError(
    'NODE_FAILED',
    `a result can only have ${RESULT_KEYS.join(', ')}; got \`${strange[0] ?? ''}\` in addition to \`${known}\``,
    {
      hint: 'to return an object as the output, use `{ output: … }`',
    },
  );
}

export interface SettleOptions {
  readonly graph: Graph;
  readonly node: NodeDefinition;
  readonly state: GraphState;
}

/**
 * Returns the event that adds a result to the state. Both the output, stored under its key, and the patch go
 * through the reducers.
 * @throws HitlError BAD_STATE with the node and key, without applying anything (C-20, C-24).
 */
export function settledEvent(
  current: Activation,
  result: { readonly [Key in keyof NodeResult]?: unknown },
  { graph, node, state }: SettleOptions,
): NodeSettled {
  const by = { node: current.node };
  const output =
    result.output === undefined
      ? undefined
      : checkJson(result.output, `the output of \`${current.node}\``, by);
  const why = node.outputSchema === undefined ? undefined : schemaProblem(node.outputSchema, output);
  if (why !== undefined)
    throw new HitlError('BAD_STATE', `the output of \`${current.node}\` is invalid: ${why}`);
  const patch = checkPatch(result.patch, by, result.unset);
  const key = node.outputKey ?? current.node;
  const set = {
    ...(output !== undefined && key !== false && { [key]: output }),
    ...patch.set,
  };
  const whole: StateChanges = { set, ...(patch.unset !== undefined && { unset: patch.unset }) };
  const changes = reducePatch(state, whole, graph.reducers, by);
  const isReduced = Object.keys(set).some((name) => Object.hasOwn(graph.reducers, name));
  const { node: name, visit } = current;
  return {
    type: 'node-settled',
    node: name,
    visit,
    ...(output !== undefined && { output }),
    changes,
    ...(isReduced && { patch: whole }),
  };
}

/** Masks typed secrets in an event, in case a body included them. */
export function withoutTyped(event: NodeSettled, vault: SecretVault): NodeSettled {
  const { output, changes, patch } = event;
  const without = ({ set, ...rest }: StateChanges): StateChanges => ({
    ...rest,
    set: Object.fromEntries(Object.entries(set).map(([key, value]) => [key, vault.mask(value)])),
  });
  return {
    ...event,
    ...(output !== undefined && { output: vault.mask(output) }),
    changes: without(changes),
    ...(patch !== undefined && { patch: without(patch) }),
  };
}
