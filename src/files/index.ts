export { namesThatRun } from './names-that-run.js';
export type { Place, Workspace } from './place.js';
export { isFree, placeOf } from './place.js';
export type { FileText } from './read-text.js';
export { isBinary, pieces, readText, readTextIn, withFile } from './read-text.js';
export { realFolder } from './real-folder.js';
export type { Entry } from './walk.js';
export { walk } from './walk.js';
export { lookAt, writeText } from './write-text.js';
