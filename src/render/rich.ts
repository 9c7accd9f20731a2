// The part of this layer that people look at: with the reader of Markdown, which takes a while to load, and the spinner.
export { createSpinner } from './spinner.js';
export { TerminalRenderer } from './terminal.js';
export { transcriptMarkdown } from './transcript-markdown.js';
export { effectTree } from './transcript-graph.js';
export { transcriptText } from './transcript-text.js';
