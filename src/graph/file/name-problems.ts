import type { JsonValue } from '../../core/index.js';
import { isJsonArray, isJsonObject } from '../../core/index.js';
import type { FilePath, FileProblem } from './file-problem.js';
import { meantName } from './meant-name.js';

/**
 * Finds references to missing nodes. Works on the unvalidated file, so that these problems are reported
 * together with all other problems.
 */
export function nameProblems(graph: JsonValue | undefined, path: FilePath = []): readonly FileProblem[] {
  if (graph === undefined || !isJsonObject(graph) || !isJsonObject(graph['nodes'])) return [];
  const { nodes } = graph;
  const known = Object.keys(nodes);
  const places: Mention[] = [
    ...mentions(graph['start'], [...path, 'start']),
    ...mentions(graph['end'], [...path, 'end']),
    ...points(graph['interruptBefore'], [...path, 'interruptBefore']),
    ...points(graph['interruptAfter'], [...path, 'interruptAfter']),
    ...listOf(graph['edges']).flatMap((edge, index) =>
      isJsonObject(edge)
        ? ['from', 'to'].flatMap((end) => mentions(edge[end], [...path, 'edges', index, end]))
        : [],
    ),
  ];
  return [
    ...unknown(places, known, 'node'),
    ...known.flatMap((name) => insideNode(nodes[name], [...path, 'nodes', name])),
  ];
}

interface Mention {
  readonly name: string;
  readonly path: FilePath;
}

function unknown(places: readonly Mention[], known: readonly string[], what: string): readonly FileProblem[] {
  return places
    .filter(({ name }) => !known.includes(name))
    .map(({ name, path }) => ({ path, message: `unknown ${what} \`${name}\`${meantName(name, known)}` }));
}

function insideNode(node: JsonValue | undefined, path: FilePath): readonly FileProblem[] {
  if (node === undefined || !isJsonObject(node)) return [];
  const { candidates } = node;
  const fallback = isJsonObject(candidates) ? mentions(node['fallback'], [...path, 'fallback']) : [];
  return [
    ...unknown(fallback, isJsonObject(candidates) ? Object.keys(candidates) : [], 'candidate'),
    ...membersOf(candidates, [...path, 'candidates']),
    ...membersOf(node['members'], [...path, 'members']),
    ...insideNode(node['worker'], [...path, 'worker']),
    ...nameProblems(node['graph'], [...path, 'graph']),
  ];
}

function membersOf(members: JsonValue | undefined, path: FilePath): readonly FileProblem[] {
  if (!isJsonObject(members)) return [];
  return Object.entries(members).flatMap(([name, member]) => insideNode(member, [...path, name]));
}

/** Reads a name or a list of names. */
function mentions(value: JsonValue | undefined, path: FilePath): readonly Mention[] {
  if (typeof value === 'string') return [{ name: value, path }];
  return listOf(value).flatMap((name, index) =>
    typeof name === 'string' ? [{ name, path: [...path, index] }] : [],
  );
}

function points(value: JsonValue | undefined, path: FilePath): readonly Mention[] {
  return value === '*' ? [] : mentions(value, path);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && value !== null && typeof value === 'object' && isJsonArray(value)
    ? value
    : [];
}
