import DOMPurify from 'dompurify';

/** What Mermaid makes of a drawing. */
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
