export type { GateSide, GraphOutline, OutlineEdge, OutlineNode } from './outline.js';
export { FIRST_VERSION } from './outline.js';
