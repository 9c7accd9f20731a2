export { diffLines } from './diff-lines.js';
export { differenceLines, differences } from './json-difference.js';
