export type { FlowProgress, NodeProgress } from './flow-progress.js';
export { flowProgress } from './flow-progress.js';
export { signsOf } from './labels.js';
export { markOf } from './progress.js';
export { drawGraph } from './draw-graph.js';
export type { DrawOptions } from './draw-options.js';
