export type { KeepRule } from './ask.js';
export type { AsideMove } from './terminal.js';
export { createTerminalChannel } from './terminal.js';
