import {
  deadlineOf,
  keptApprovers,
  isReservedKey,
  isUnsafeName,
  messageActions,
  messageOf,
  timeoutProblem,
} from '../../core/index.js';
import { parseCondition } from '../expression/expression-parse.js';
import type { Edge, Declared, NodeDefinition, SteerRules } from './graph-definition.js';
import { nodeOptionProblems } from './option-rows.js';

/** Tool names that are valid for models. */
const CALLED = /^[A-Za-z][\w-]{0,63}$/;
const NAME = /^[A-Za-z][\w.-]{0,63}$/;

function isName(name: string): boolean {
  return NAME.test(name) && !isUnsafeName(name);
}

/** Returns all problems in a graph, one line each; empty if the graph is valid (C-19). */
export function checkGraph(declared: Declared): readonly string[] {
  const { nodes, edges, start, ends } = declared;
  const names = new Set(nodes.map(([name]) => name));
  if (names.size === 0) return ['it has no nodes'];
  const known = [...names].join(', ');
  const problems = [
    ...duplicates(nodes),
    ...nodes.filter(([name]) => !isName(name)).map(([name]) => `\`${name}\` cannot name a node`),
    ...nodes.flatMap(([name, node]) => nodeProblems(name, node)),
    ...[start, ...ends]
      .filter((name) => name !== undefined && !names.has(name))
      .map((name) => `unknown node \`${name ?? ''}\`; known nodes: ${known}`),
    ...edges
      .filter(([from, { to }]) => !names.has(from) || !names.has(to))
      .map(([from, { to }]) => `edge ${from} → ${to} refers to an unknown node; known nodes: ${known}`),
    ...edgeProblems(edges),
  ];
  if (problems.length > 0) return problems;
  return [...unreachable(declared), ...endless(declared), ...deadEnds(declared)];
}

function duplicates(nodes: Declared['nodes']): readonly string[] {
  const seen = new Map<string, { index: number; kind: string }>();
  return nodes.flatMap(([name, { kind }], index) => {
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, { index, kind });
      return [];
    }
    return [
      `duplicate node name \`${name}\`: number ${first.index + 1} (${first.kind}) and ${index + 1} (${kind})`,
    ];
  });
}

function nodeProblems(name: string, node: NodeDefinition): readonly string[] {
  const strange = nodeOptionProblems(name, node);
  if (strange.length > 0) return strange;
  return [
    ...gateProblems(name, node),
    ...keyProblems(name, node),
    ...steerProblems(`\`${name}\``, node.steer),
    ...kindProblems(name, node),
  ];
}

/** Lists the invalid action names in message rules, one line each. */
export function steerProblems(of: string, { allow = [], confirm = [] }: SteerRules = {}): readonly string[] {
  const known: readonly string[] = messageActions();
  return [allow, confirm]
    .flatMap((actions) => (actions === '*' ? [] : actions))
    .filter((action) => !known.includes(action))
    .map(
      (action) => `\`steer\` of ${of}: messages cannot \`${action}\`; possible actions: ${known.join(', ')}`,
    );
}

/** Returns a problem if a node writes its output to a reserved key, where it would be lost. */
function keyProblems(name: string, { outputKey = name }: NodeDefinition): readonly string[] {
  if (outputKey === false || !isReservedKey(outputKey) || isUnsafeName(name)) return [];
  return [`the output of \`${name}\` would go to \`${outputKey}\`, which is reserved: set an \`outputKey\``];
}

function gateProblems(name: string, { gate }: NodeDefinition): readonly string[] {
  if (gate === undefined) return [];
  try {
    if (gate.when !== undefined) parseCondition(gate.when);
    const wrong = timeoutProblem({ kind: 'gate', ...keptApprovers(gate) }, deadlineOf(gate).onTimeout);
    return wrong === undefined ? [] : [`the gate of \`${name}\`: ${wrong}`];
  } catch (thrown) {
    return [`the gate of \`${name}\`: ${messageOf(thrown)}`];
  }
}

function kindProblems(name: string, node: NodeDefinition): readonly string[] {
  switch (node.kind) {
    case 'group': {
      const size = Object.keys(node.members).length;
      const { join = 'all' } = node;
      const isOff = typeof join === 'number' && (!Number.isInteger(join) || join < 1 || join > size);
      return [
        ...(size === 0 ? [`group \`${name}\` has no members`] : []),
        ...(isOff ? [`group \`${name}\` waits for ${join} of ${size} branches`] : []),
        ...inner(name, node.members),
      ];
    }
    case 'choose': {
      const { fallback, candidates } = node;
      return [
        ...(fallback !== undefined && !Object.hasOwn(candidates, fallback)
          ? [`the fallback \`${fallback}\` of \`${name}\` is not among its candidates`]
          : []),
        ...inner(name, candidates),
      ];
    }
    case 'map':
      return [
        ...(node.maxParallel !== undefined && node.maxParallel < 1
          ? [`\`maxParallel\` of map \`${name}\` must be at least 1`]
          : []),
        ...(node.worker.kind === 'subgraph' && node.worker.result !== undefined
          ? [
              `\`result\` in the worker of \`${name}\` has no effect: the result is the last output of the worker's graph`,
            ]
          : []),
        ...nodeProblems(name, node.worker),
      ];
    case 'agent':
      return Object.keys(node.agents ?? {})
        .filter((called) => !CALLED.test(called) || isUnsafeName(called))
        .map((called) => `\`${called}\` in \`${name}\` is not a valid agent name`);
    case 'function':
    case 'tool':
    case 'human':
    case 'workflow':
    case 'subgraph':
      return [];
  }
}

function inner(name: string, members: Readonly<Record<string, NodeDefinition>>): readonly string[] {
  return Object.entries(members).flatMap(([member, node]) => [
    ...(isName(member) ? [] : [`\`${member}\` in \`${name}\` is not a valid node name`]),
    ...nodeProblems(member, node),
  ]);
}

function edgeProblems(edges: Declared['edges']): readonly string[] {
  const pairs = new Set<string>();
  const fallbacks = new Set<string>();
  const problems: string[] = [];
  for (const [from, { to, priority, weight }] of edges) {
    const pair = `${from} → ${to}`;
    if (pairs.has(pair)) problems.push(`edge ${pair} is declared twice`);
    pairs.add(pair);
    if (priority === 0 && fallbacks.has(from))
      problems.push(`node \`${from}\` has more than one fallback edge`);
    if (priority === 0) fallbacks.add(from);
    if (!Number.isInteger(priority) || priority < 0) problems.push(`edge ${pair}: priority ${priority}`);
    if (!Number.isFinite(weight) || weight < 0) problems.push(`edge ${pair}: weight ${weight}`);
  }
  return problems;
}

function reach(edges: Declared['edges'], from: readonly string[]): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const [source, { to }] of edges) next.set(source, [...(next.get(source) ?? []), to]);
  const seen = new Set(from);
  const left = [...from];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    for (const to of next.get(node) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      left.push(to);
    }
  }
  return seen;
}

function unreachable({ nodes, edges, start = '' }: Declared): readonly string[] {
  const seen = reach(edges, [start]);
  return nodes
    .filter(([name]) => !seen.has(name))
    .map(([name]) => `node \`${name}\` cannot be reached from \`${start}\``);
}

/** Finds cycles without an exit: each node of such a cycle always leads to the next. */
function endless({ nodes, edges, ends }: Declared): readonly string[] {
  const only = new Map<string, string>();
  for (const [name] of nodes) {
    const out = edges.filter(([from]) => from === name).map(([, edge]) => edge);
    const [first] = out;
    if (first !== undefined && out.length === 1 && isUnconditional(first) && !ends.includes(name))
      only.set(name, first.to);
  }
  const told = new Set<string>();
  const problems: string[] = [];
  for (const [name] of nodes) {
    const walked: string[] = [];
    let at: string | undefined = name;
    while (at !== undefined && !walked.includes(at) && !told.has(at)) {
      walked.push(at);
      at = only.get(at);
    }
    if (at !== undefined && walked.includes(at)) {
      const ring = walked.slice(walked.indexOf(at));
      problems.push(`cycle without an exit: ${[...ring, at].join(' → ')}`);
    }
    for (const one of walked) told.add(one);
  }
  return problems;
}

function isUnconditional({ when, priority }: Edge): boolean {
  return when === undefined || priority === 0;
}

function deadEnds({ nodes, edges, ends }: Declared): readonly string[] {
  const sources = new Set(edges.map(([from]) => from));
  return nodes
    .filter(([name]) => !sources.has(name) && !ends.includes(name))
    .map(
      ([name]) => `node \`${name}\` has no outgoing edge and is not an end: a run cannot continue from it`,
    );
}
