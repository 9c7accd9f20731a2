export type { AsideMove } from './terminal.js';
export { createTerminalChannel } from './terminal.js';
