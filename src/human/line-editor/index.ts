export { createLineHistory } from './history.js';
export type { LineOptions } from './line-editor.js';
export { editLine } from './line-editor.js';
export { createTerminalTurns } from './turns.js';
