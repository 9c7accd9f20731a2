export type { KeepRule } from './ask.js';
export { confirmEarly } from './ask.js';
export type { AsideMove } from './terminal.js';
export { TerminalChannel } from './terminal.js';
