import type { GraphFrame, OperationTree, TreeNode } from '../../core/index.js';
import { activationsOf, operationTree } from '../../core/index.js';
import { innerNodes } from '../definition/inner-nodes.js';
import type { Edge, Graph, NodeDefinition } from '../definition/graph-definition.js';
import type { Happened, Progress } from './progress.js';
import { framesInside, happenedTo, timesTaken } from './progress.js';
import { isPoint } from '../run/asks-people.js';

/** A node prepared for drawing in any format. */
export interface PictureNode extends Stops {
  /** A generated ID such as `n1`, so that names appear only in labels. */
  readonly id: string;
  readonly name: string;
  readonly kind: NodeDefinition['kind'];
  readonly isStart: boolean;
  readonly isEnd: boolean;
  /** The tool of a tool node, or the tools of an agent. */
  readonly tools: readonly PictureTool[];
  /** A picture of the inner graph. */
  readonly inside: Picture;
  readonly happened?: Happened;
  /** The operations that its code ran most recently. */
  readonly did: readonly TreeNode[];
}

interface PictureTool {
  readonly id: string;
  readonly name: string;
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly priority: number;
  readonly weight: number;
  /** Whether the edge has a condition. */
  readonly isConditional: boolean;
  readonly isFallback: boolean;
  /** The condition's text, if it has one. */
  readonly when?: string;
  /** How often the edge was taken in the drawn session. */
  readonly taken: number;
}

export interface Picture {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

/** Numbers the nodes of a graph and adds the progress of a run. */
export function pictureOf(
  graph: Graph,
  state: GraphFrame | undefined,
  tree: OperationTree | undefined = state && operationTree(state),
): Picture {
  return new Painter(tree).graph(graph, state === undefined ? [] : [state]);
}

type Named = readonly [string, NodeDefinition];

interface Spot extends Stops {
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

const INSIDE: Spot = { isStart: false, isEnd: false, before: false, after: false, operations: [] };

class Painter {
  readonly #tree: OperationTree | undefined;
  #ids = 0;

  constructor(tree: OperationTree | undefined) {
    this.#tree = tree;
  }

  #id(): string {
    this.#ids += 1;
    return `n${this.#ids}`;
  }

  graph(graph: Graph, frames: readonly GraphFrame[]): Picture {
    const [frame] = frames;
    const nodes = walkOrder(graph).map(([name, node]) => {
      const spot = {
        isStart: graph.start === name,
        isEnd: graph.ends.has(name),
        ...stopsAt(graph, name, frame),
      };
      return this.#node([name, node], frames, spot);
    });
    const ids = new Map(nodes.map(({ name, id }) => [name, id]));
    const edges = nodes.flatMap(({ name, id }) =>
      edgesOf(graph, name).flatMap((edge, index) => {
        const to = ids.get(edge.to);
        return to === undefined ? [] : [pictureEdge(edge, [id, to], timesTaken(name, index, frames))];
      }),
    );
    return { nodes, edges };
  }

  #node([name, node]: Named, frames: readonly GraphFrame[], spot: Spot): PictureNode {
    const id = this.#id();
    const happened = happenedTo(name, frames);
    const { gate } = node;
    return {
      id,
      name,
      kind: node.kind,
      ...spot,
      before: spot.before || gate?.before === true,
      after: spot.after || gate?.after === true,
      tools: toolNames(node).map((tool) => ({ id: this.#id(), name: tool })),
      inside: this.#inside(name, node, frames),
      did: node.kind === 'workflow' ? this.#did(name, frames) : [],
      ...(happened !== undefined && { happened }),
    };
  }

  #did(name: string, frames: readonly GraphFrame[]): readonly TreeNode[] {
    return frames.flatMap((frame) => {
      const last = activationsOf(frame).findLast((one) => one.node === name);
      return (last && this.#tree?.of(last)?.inside) ?? [];
    });
  }

  #inside(name: string, node: NodeDefinition, frames: readonly GraphFrame[]): Picture {
    if (node.kind === 'subgraph') return this.graph(node.graph, framesInside(name, frames, ''));
    const nodes = innerNodes(node).map((inner) =>
      this.#node(inner, framesInside(name, frames, branchOf(node, inner)), INSIDE),
    );
    return { nodes, edges: [] };
  }
}

/**
 * Returns the name of the branch in which an inner node runs. Returns `undefined` for a map's worker, because
 * it has one branch per item.
 */
function branchOf({ kind }: NodeDefinition, [name]: Named): string | undefined {
  if (kind === 'map') return undefined;
  return kind === 'group' ? name : '';
}

function edgesOf({ edges }: Graph, name: string): readonly Edge[] {
  return Object.hasOwn(edges, name) ? (edges[name] ?? []) : [];
}

/** Returns the nodes in drawing order: the start node, its successors, then unreachable nodes. */
function walkOrder(graph: Graph): readonly Named[] {
  const names = Object.keys(graph.nodes);
  const seen = new Set<string>();
  const left = [...names.toReversed(), graph.start];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    left.push(
      ...edgesOf(graph, name)
        .map(({ to }) => to)
        .toReversed(),
    );
  }
  return [...seen].flatMap((name) => {
    const node = Object.hasOwn(graph.nodes, name) ? graph.nodes[name] : undefined;
    return node === undefined ? [] : [[name, node]];
  });
}

function toolNames(node: NodeDefinition): readonly string[] {
  if (node.kind === 'tool') return [node.tool.name];
  return node.kind === 'agent' ? (node.tools?.descriptors ?? []).map(({ name }) => name) : [];
}

function pictureEdge(
  { when, priority, weight }: Edge,
  [from, to]: readonly [string, string],
  taken: number,
): PictureEdge {
  const isFallback = priority === 0;
  return {
    from,
    to,
    priority,
    weight,
    isConditional: when !== undefined && !isFallback,
    isFallback,
    ...(typeof when === 'string' && !isFallback && { when }),
    taken,
  };
}

/** Returns every node in a picture, outer nodes before nested ones. */
export function everyNode({ nodes }: Picture): readonly PictureNode[] {
  return nodes.flatMap((node) => [node, ...everyNode(node.inside)]);
}

/** Options for drawing a graph. */
export interface DrawOptions {
  readonly format: 'text' | 'mermaid' | 'json';
  /**
   * The run so far. If set, the drawing marks nodes as done, current, waiting, failed, skipped or undone, and
   * shows the number of visits and the taken edges.
   */
  readonly state?: GraphFrame;
  /**
   * The operations of the run's workflows, from `operationTree`, with times and answers. Default: derived
   * from `state`, without times and answers.
   */
  readonly tree?: OperationTree;
  /** Maximum width of the tree's rows in text. Default: no limit. */
  readonly columns?: number;
  /** Whether to use ASCII marks; does not affect names. Default: false. */
  readonly ascii?: boolean;
}

/** The points at a node where a run stops for a person. */
export interface Stops {
  readonly before: boolean;
  readonly after: boolean;
  /**
   * Operations in the node's code before which a run stops; `*` stands for every operation that has an
   * effect.
   */
  readonly operations: readonly string[];
}

/** Returns a node's stops as stored with the run, or as in the definition if there is no run. */
function stopsAt(graph: Graph, name: string, frame: GraphFrame | undefined): Stops {
  const { before, after } = frame ?? graph;
  const gates = frame === undefined ? Object.keys(graph.outline?.gates ?? {}) : (frame.gates ?? []);
  const node = graph.nodes[name];
  return {
    before: isPoint(before, name) || node?.gate?.before === true,
    after: isPoint(after, name) || node?.gate?.after === true,
    operations: node?.kind !== 'workflow' ? [] : gates === '*' ? ['*'] : gates,
  };
}

/** A graph node with its stops and its progress in a run. */
export interface NodeProgress extends Stops {
  readonly node: string;
  /** Absent if the node was never entered. */
  readonly progress?: Progress;
  /** How often the node was entered. */
  readonly visits: number;
}

/** A summary of a workflow's progress. */
export interface FlowProgress {
  /** Absent if the definition does not specify a version. */
  readonly version?: number;
  /** In declaration order. */
  readonly nodes: readonly NodeProgress[];
}

/** Returns a graph's version and the progress and stops of each node, taken from the run if there is one. */
export function flowProgress(graph: Graph, frame: GraphFrame | undefined): FlowProgress {
  const version = (frame ?? graph).outline?.version;
  const nodes = Object.keys(graph.nodes).map((node): NodeProgress => {
    const happened = frame && happenedTo(node, [frame]);
    const stops = stopsAt(graph, node, frame);
    return happened === undefined
      ? { node, visits: 0, ...stops }
      : { node, progress: happened.progress, visits: happened.visits, ...stops };
  });
  return { nodes, ...(version !== undefined && { version }) };
}
