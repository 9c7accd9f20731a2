/** The cleaner of HTML that Mermaid uses, which needs a browser. */
export const DOMPurify: object;

/** As much of Mermaid as tests use. */
export const mermaid: {
  parse(text: string): Promise<unknown>;
  readonly mermaidAPI: { getDiagramFromText(text: string): Promise<{ readonly db: unknown }> };
};
