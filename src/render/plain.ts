// The part of this layer that listings need: without the renderers, and so without their markdown and spinner.
export { sessionTable } from './listings.js';
export type { Theme } from './theme.js';
export { createTheme, wantsColour } from './theme.js';
