export type { Compacted } from './compacted.js';
export { compactContext, compactedView } from './compaction.js';
export { compactionEnd, contextTokens, contextUsed } from './room.js';
export { partTokens, textTokens } from './size.js';
