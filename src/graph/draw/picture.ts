import type { GraphFrame, OperationTree, TreeNode } from '../../core/index.js';
import { activationsOf, operationTree } from '../../core/index.js';
import { innerNodes } from '../definition/inner-nodes.js';
import type { Edge, Graph, NodeDefinition } from '../definition/graph-definition.js';
import type { Happened, Progress } from './progress.js';
import { framesInside, happenedTo, timesTaken } from './progress.js';
import { isPoint } from '../run/asks-people.js';

/** A node as every drawing shows it. */
export interface PictureNode extends Stops {
  /** `n1`: generated, so that names are only used as labels. */
  readonly id: string;
  readonly name: string;
  readonly kind: NodeDefinition['kind'];
  readonly isStart: boolean;
  readonly isEnd: boolean;
  /** A tool node's tool, or an agent's own tools. */
  readonly tools: readonly PictureTool[];
  /** Picture of the inner graph. */
  readonly inside: Picture;
  readonly happened?: Happened;
  /** What its code did in its latest run. */
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
  /** Whether it has a condition. */
  readonly isConditional: boolean;
  readonly isFallback: boolean;
  /** Text of the condition, if there is one. */
  readonly when?: string;
  /** Number of times in the drawn session. */
  readonly taken: number;
}

export interface Picture {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

/** Numbers a graph's nodes, and adds the progress of a run. */
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

/** The branch in which an inner node runs; `undefined` for a map's worker, which has one per item. */
function branchOf({ kind }: NodeDefinition, [name]: Named): string | undefined {
  if (kind === 'map') return undefined;
  return kind === 'group' ? name : '';
}

function edgesOf({ edges }: Graph, name: string): readonly Edge[] {
  return Object.hasOwn(edges, name) ? (edges[name] ?? []) : [];
}

/** Returns the start, then successors, then unreachable nodes. */
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

/** Returns every node of a picture, outer ones before nested ones. */
export function everyNode({ nodes }: Picture): readonly PictureNode[] {
  return nodes.flatMap((node) => [node, ...everyNode(node.inside)]);
}

/** The options of a drawing. */
export interface DrawOptions {
  readonly format: 'text' | 'mermaid' | 'json';
  /** The run so far: done, current, waiting, failed, skipped and undone nodes, visits, taken edges. */
  readonly state?: GraphFrame;
  /**
   * Operations of its workflows, from `operationTree`, with times and answers. Default: derived from `state`,
   * without those.
   */
  readonly tree?: OperationTree;
  /** Width of the tree's rows in text. Default: as needed. */
  readonly columns?: number;
  /** Uses ASCII marks; names do not change. Default false. */
  readonly ascii?: boolean;
}

/** Where a run stops at a node for a person. */
export interface Stops {
  readonly before: boolean;
  readonly after: boolean;
  /** The operations of its code before which a run stops; `*` is all that do something. */
  readonly operations: readonly string[];
}

/** Returns a node's stops: from its definition, or from a run's stored ones. */
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

/** A node of a graph, where a run stops at it, and how far the run has come there. */
export interface NodeProgress extends Stops {
  readonly node: string;
  /** Absent where it was never entered. */
  readonly progress?: Progress;
  /** The number of times that it was entered. */
  readonly visits: number;
}

/** A workflow while it runs, in short. */
export interface FlowProgress {
  /** Absent where its definition says nothing of one. */
  readonly version?: number;
  /** In the order of their declaration. */
  readonly nodes: readonly NodeProgress[];
}

/** Tells of a graph what happened to each node in a run, and what the run has kept of its definition. */
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
