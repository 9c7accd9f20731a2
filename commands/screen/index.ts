export type { LimitFlags } from './list-limit.js';
export { limitOf, moreLine, oneMore } from './list-limit.js';
export { confirmHere, confirmEarlyHere } from './confirm-here.js';
export { setEcho } from './echo.js';
export { askInLines } from './lines-here.js';
export { columnsOf, isColoured, isDumb } from './terminal-facts.js';
export { askHere, terminalTheme } from './terminal-here.js';
export { stderrTheme, stdoutTable } from './theme.js';
