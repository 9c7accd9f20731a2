export type { OperationTree, TreeFacts } from './operation-tree.js';
export { operationTree } from './operation-tree.js';
export type { RunTimes } from './times.js';
export { timesOf } from './times.js';
export type { TreeNode, TreeProgress } from './tree-node.js';
export type { TreeLook, TreeRow } from './tree-rows.js';
export { placesOf, rowText, rowWords, treeRows } from './tree-rows.js';
