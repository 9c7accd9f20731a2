export type { GraphFileOptions, GraphParts } from './graph-parts.js';
