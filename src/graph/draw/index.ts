export { drawGraph } from './draw-graph.js';
export type { DrawOptions } from './draw-options.js';
