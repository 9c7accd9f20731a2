import { instance } from '@viz-js/viz';
import DOMPurify from 'dompurify';

/** What Mermaid or Graphviz makes of a drawing. */
export interface ReadDrawing {
  readonly nodes: readonly { readonly id: string; readonly label: string; readonly shape: string }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly label: string;
    readonly style: string;
  }[];
  readonly clusters: readonly {
    readonly id: string;
    readonly label: string;
    readonly nodes: readonly string[];
  }[];
}

/** Mermaid encodes entities in labels while it reads; here they are characters again. */
function decoded(label: string): string {
  return label.replace(/ﬂ°°(\d+)¶ß/gu, (_all, code: string) => String.fromCodePoint(Number(code)));
}

/** What Mermaid keeps of a flowchart. */
interface FlowDb {
  getVertices(): ReadonlyMap<string, { id: string; text: string; type?: string }>;
  getEdges(): readonly { start: string; end: string; text: string; stroke: string; type: string }[];
  getSubGraphs(): readonly { id: string; title: string; nodes: readonly string[] }[];
}

/** Reads a flowchart with Mermaid's own parser. Its cleaner of HTML needs a browser: here it lets everything pass. */
export async function readMermaid(text: string): Promise<ReadDrawing> {
  Object.assign(DOMPurify, { addHook: () => undefined, sanitize: (html: string) => html });
  const { default: mermaid } = await import('mermaid');
  await mermaid.parse(text);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the new API tells the type of a diagram and no more
  const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
  const db = diagram.db as unknown as FlowDb;
  return {
    nodes: [...db.getVertices().values()].map(({ id, text: label, type = '' }) => ({
      id,
      label: decoded(label),
      shape: type,
    })),
    edges: db.getEdges().map(({ start, end, text: label, stroke, type }) => ({
      from: start,
      to: end,
      label: decoded(label),
      style: `${stroke} ${type}`,
    })),
    clusters: db.getSubGraphs().map(({ id, title, nodes }) => ({ id, label: decoded(title), nodes })),
  };
}

/** What Graphviz writes of a graph as JSON. */
interface DotJson {
  readonly objects?: readonly {
    readonly _gvid: number;
    readonly name: string;
    readonly label: string;
    readonly shape?: string;
    readonly nodes?: readonly number[];
  }[];
  readonly edges?: readonly {
    readonly tail: number;
    readonly head: number;
    readonly label?: string;
    readonly style?: string;
  }[];
}

/** Reads DOT with Graphviz. */
export async function readDot(text: string): Promise<ReadDrawing> {
  const viz = await instance();
  const result = viz.render(text, { format: 'dot_json' });
  if (result.status !== 'success') throw new Error(JSON.stringify(result.errors));
  const { objects = [], edges = [] } = JSON.parse(result.output) as DotJson;
  const clusters = objects.filter(({ name }) => name.startsWith('cluster_'));
  const names = new Map(objects.map(({ _gvid, name }) => [_gvid, name]));
  const nameOf = (id: number): string => names.get(id) ?? '';
  return {
    nodes: objects
      .filter((one) => !clusters.includes(one))
      .map(({ name, label, shape = '' }) => ({ id: name, label, shape })),
    edges: edges.map(({ tail, head, label = '', style = '' }) => ({
      from: nameOf(tail),
      to: nameOf(head),
      label,
      style,
    })),
    clusters: clusters.map(({ name, label, nodes = [] }) => ({ id: name, label, nodes: nodes.map(nameOf) })),
  };
}
