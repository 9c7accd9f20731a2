import type { GraphFrame } from '../../core/index.js';
import { MAP_ITEM } from '../inner-nodes.js';
import type { Edge } from '../edge.js';
import type { Graph, NodeDefinition } from '../graph-definition.js';
import type { Happened } from './progress.js';
import { framesInside, happenedTo, timesTaken } from './progress.js';
import type { Stops } from './stops.js';
import { stopsAt } from './stops.js';

/** A node as every drawing shows it. */
export interface PictureNode extends Stops {
  /** `n1`: made, so that no name can be more than a label. */
  readonly id: string;
  readonly name: string;
  readonly kind: NodeDefinition['kind'];
  readonly isStart: boolean;
  readonly isEnd: boolean;
  /** The tool of a tool node, or those that an agent has of its own. */
  readonly tools: readonly PictureTool[];
  /** The picture of what runs inside of it. */
  readonly inside: Picture;
  readonly happened?: Happened;
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
  /** It matches only where something holds. */
  readonly isConditional: boolean;
  readonly isFallback: boolean;
  /** The text of the condition, where it has one. */
  readonly when?: string;
  /** In the session that is drawn. */
  readonly taken: number;
}

export interface Picture {
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

/** A graph with its nodes numbered, and with what has happened where a run is given. */
export function pictureOf(graph: Graph, state: GraphFrame | undefined): Picture {
  return new Painter().graph(graph, state === undefined ? [] : [state]);
}

const NOTHING: Picture = { nodes: [], edges: [] };

interface Spot extends Stops {
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

const INSIDE: Spot = { isStart: false, isEnd: false, before: false, after: false, operations: [] };

class Painter {
  #ids = 0;

  #id(): string {
    this.#ids += 1;
    return `n${this.#ids}`;
  }

  graph(graph: Graph, frames: readonly GraphFrame[]): Picture {
    const [frame] = frames;
    const nodes = walkOrder(graph).map((name) => {
      const spot = {
        isStart: graph.start === name,
        isEnd: graph.ends.has(name),
        ...stopsAt(graph, name, frame),
      };
      return this.#node([name, graph.nodes[name]], frames, spot);
    });
    const drawn = nodes.flatMap((node) => (node === undefined ? [] : [node]));
    const ids = new Map(drawn.map(({ name, id }) => [name, id]));
    const edges = drawn.flatMap(({ name, id }) =>
      edgesOf(graph, name).flatMap((edge, index) => {
        const to = ids.get(edge.to);
        return to === undefined ? [] : [pictureEdge(edge, [id, to], timesTaken(name, index, frames))];
      }),
    );
    return { nodes: drawn, edges };
  }

  #node(
    [name, node]: readonly [string, NodeDefinition | undefined],
    frames: readonly GraphFrame[],
    spot: Spot,
  ): PictureNode | undefined {
    if (node === undefined) return undefined;
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
      ...(happened !== undefined && { happened }),
    };
  }

  #inside(name: string, node: NodeDefinition, frames: readonly GraphFrame[]): Picture {
    switch (node.kind) {
      case 'subgraph':
        return this.graph(node.graph, framesInside(name, frames, ''));
      case 'group':
        return this.#members(node.members, (key) => framesInside(name, frames, key));
      case 'choose':
        return this.#members(node.candidates, () => framesInside(name, frames, ''));
      case 'map':
        return this.#members({ [MAP_ITEM]: node.worker }, () => framesInside(name, frames));
      case 'function':
      case 'agent':
      case 'tool':
      case 'human':
      case 'workflow':
        return NOTHING;
    }
  }

  #members(
    members: Readonly<Record<string, NodeDefinition>>,
    framesOf: (key: string) => readonly GraphFrame[],
  ): Picture {
    const nodes = Object.entries(members).flatMap(([key, node]) => {
      const drawn = this.#node([key, node], framesOf(key), INSIDE);
      return drawn === undefined ? [] : [drawn];
    });
    return { nodes, edges: [] };
  }
}

function edgesOf({ edges }: Graph, name: string): readonly Edge[] {
  return Object.hasOwn(edges, name) ? (edges[name] ?? []) : [];
}

/** The start first, then what each node leads to, then what nothing leads to. */
function walkOrder(graph: Graph): readonly string[] {
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
  return [...seen].filter((name) => Object.hasOwn(graph.nodes, name));
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

/** Every node of a picture, also those inside of others, the outer ones first. */
export function everyNode({ nodes }: Picture): readonly PictureNode[] {
  return nodes.flatMap((node) => [node, ...everyNode(node.inside)]);
}
