import { nearNames } from '../../core/index.js';

/** Names that other libraries use for the fields of a graph file. */
const KNOWN_AS: Readonly<Record<string, string>> = {
  start_node: 'start',
  end_nodes: 'end',
  ends: 'end',
  max_iterations: 'maxIterations',
  source_node: 'from',
  source: 'from',
  target_node: 'to',
  target: 'to',
  condition: 'when',
  function_ref: 'run',
  function: 'run',
  type: 'kind',
  join_strategy: 'join',
  error_policy: 'onBranchError',
  instruction: 'system',
  delayMs: 'delay',
  capMs: 'cap',
  timeoutMs: 'timeout',
};

/**
 * Returns the end of an error message about an unknown name: the most likely name, or else all valid names.
 */
export function meantName(wrong: string, known: readonly string[]): string {
  const other = Object.hasOwn(KNOWN_AS, wrong) ? KNOWN_AS[wrong] : undefined;
  if (other !== undefined && known.includes(other)) return `; did you mean \`${other}\`?`;
  const [near] = nearNames(wrong, known);
  if (near !== undefined) return `; did you mean \`${near}\`?`;
  return known.length === 0 ? '; there are none' : `; there are: ${known.join(', ')}`;
}
