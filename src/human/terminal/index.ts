export { createTerminalChannel } from './terminal.js';
