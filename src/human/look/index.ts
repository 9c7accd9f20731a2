export { AskedWindow } from './asked-window.js';
export { withHighlights } from './highlight.js';
export { questionInLines } from './question-in-lines.js';
export { questionRows, wholeRows } from './terminal-look.js';
