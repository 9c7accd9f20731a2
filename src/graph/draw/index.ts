export type { NodeProgress } from './node-progress.js';
export { nodeProgress } from './node-progress.js';
export { drawGraph } from './draw-graph.js';
export type { DrawOptions } from './draw-options.js';
