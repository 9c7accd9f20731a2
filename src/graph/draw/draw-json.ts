import type { GraphFrame, JsonObject, TreeNode } from '../../core/index.js';
import { activationId, activationsOf, safeJson } from '../../core/index.js';
import type { Graph } from '../definition/graph-definition.js';
import type { Picture, PictureEdge, PictureNode } from './picture.js';

/**
 * Formats nodes and links as JSON for other programs, indented by two spaces; for a run, includes `history`.
 */
export function drawJson(
  { graph, version }: { readonly graph: Graph; readonly version: number | undefined },
  picture: Picture,
  state: GraphFrame | undefined,
): string {
  const document: JsonObject = {
    name: graph.name,
    nodes: nodesOf(picture, undefined),
    links: linksOf(picture),
    metadata: {
      startNode: graph.start,
      endNodes: [...graph.ends],
      maxIterations: state?.maxIterations ?? graph.maxIterations,
      strict: graph.strict,
      ...(version !== undefined && { version }),
    },
    ...(state !== undefined && { history: historyOf(state) }),
  };
  return `${safeJson(document, 2)}\n`;
}

function nodesOf({ nodes }: Picture, parent: string | undefined): readonly JsonObject[] {
  return nodes.flatMap((node) => [nodeOf(node, parent), ...nodesOf(node.inside, node.id)]);
}

function nodeOf(node: PictureNode, parent: string | undefined): JsonObject {
  const { id, kind, name, tools, happened, isStart, isEnd, before, after, operations, did } = node;
  return {
    id,
    type: kind,
    name,
    ...(parent !== undefined && { parent }),
    ...(tools.length > 0 && { tools: tools.map((tool) => tool.name) }),
    ...(isStart && { start: true }),
    ...(isEnd && { end: true }),
    ...(before && { interruptBefore: true }),
    ...(after && { interruptAfter: true }),
    ...(operations.length > 0 && { interruptBeforeOperations: [...operations] }),
    ...(did.length > 0 && { operations: did.map(treeJson) }),
    ...(happened !== undefined && {
      status: happened.progress,
      visits: happened.visits,
      executions: happened.executions.map(({ id: execution, progress, startedAt }) => ({
        id: execution,
        status: progress,
        ...(startedAt !== undefined && { startedAt }),
      })),
    }),
  };
}

/** Formats a tree row and its children. */
function treeJson({ answers, waits, inside, ...row }: TreeNode): JsonObject {
  return {
    ...row,
    ...(answers !== undefined && { answers: answers.map((answer) => ({ ...answer })) }),
    ...(waits !== undefined && { waits: { ...waits } }),
    ...(inside !== undefined && { inside: inside.map(treeJson) }),
  };
}

function linksOf({ nodes, edges }: Picture): readonly JsonObject[] {
  return [...edges.map(linkOf), ...nodes.flatMap(({ inside }) => linksOf(inside))];
}

function linkOf({
  from,
  to,
  isConditional,
  isFallback,
  when,
  priority,
  weight,
  taken,
}: PictureEdge): JsonObject {
  return {
    source: from,
    target: to,
    conditional: isConditional,
    ...(isFallback && { fallback: true }),
    ...(when !== undefined && { when }),
    priority,
    weight,
    ...(taken > 0 && { taken }),
  };
}

function historyOf(frame: GraphFrame): JsonObject {
  const { iterations, todos } = frame;
  const all = activationsOf(frame);
  return {
    path: all.filter(({ status }) => status !== 'undone').map(activationId),
    undone: all.filter(({ status }) => status === 'undone').map(activationId),
    iterations,
    todos: todos.map(({ note, node, visit }) => ({ note, node, visit })),
  };
}
