export { isUnchanged } from './anchor.js';
export { foundBytes } from './found-file.js';
export { manifestIn, packageRoot } from './manifest.js';
export {
  changedFiles,
  contentOf,
  type FileContent,
  importsOwn,
  madeNames,
  moduleClosure,
  moduleCode,
} from './module-closure.js';
export { dependenciesOf, isFolder, packageFolder } from './packages.js';
export { fileProblem } from './file-problem.js';
export type { Folder } from './folder.js';
export { isBelow, sensitiveNames } from './holdings.js';
export { namesThatRun, projectNamesThatRun, STEERING_NAMES } from './names-that-run.js';
export { withFolder } from './open-folder.js';
export type { Place, StartedPath, Workspace } from './place.js';
export { isFree, placeOf } from './place.js';
export type { FileText } from './read-text.js';
export { isBinary, pieces, readBytes, readText, readTextIn, startOf, withFile } from './read-text.js';
export { realFolder } from './real-folder.js';
export type { Entry } from './walk.js';
export { walk } from './walk.js';
export { lookAt, removeFile, removeFolder, writeText } from './write-text.js';
