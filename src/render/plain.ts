// The part of this layer that listings need: without the renderers, and so without their colours, markdown and spinner.
export type { OpenOf } from './listings.js';
export { sessionTable } from './listings.js';
export { rowsWithin } from './screen.js';
export type { Theme } from './theme.js';
export { formatAge } from './time.js';
export { formatCost, formatCount } from './usage-line.js';
export { isLightTerminal, isPlainTerminal, plainTheme, wantsColour } from './theme.js';
