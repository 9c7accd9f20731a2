import { isInstalled } from '../../scripts/tools.mjs';

/** Is Mermaid there? Tests that need it are skipped where not: `npm run tools` installs it. */
export const hasMermaid = isInstalled();

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
  const { DOMPurify, mermaid } = await import('../../tools/peers/mermaid.mjs');
  Object.assign(DOMPurify, { addHook: () => undefined, sanitize: (html: string) => html });
  await mermaid.parse(text);
  const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
  const db = diagram.db as FlowDb;
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
