export type { Entrance } from './first-prompt.js';
export { atFirstPrompt } from './first-prompt.js';
export type { People } from './people.js';
export { checkApprovals, composePeople } from './people.js';
export type { Seat } from './seat.js';
export { startLines } from './start-lines.js';
export { statusBar } from './status-bar.js';
