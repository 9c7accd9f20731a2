export type { WorkPlace } from './guarded.js';
export {
  findInPath,
  FOLDER_VARIABLE,
  guardedFolder,
  liesIn,
  neutralFolder,
  ownEnvironment,
  searchPath,
} from './guarded.js';
export type { CoveredFiles } from './inherited-files.js';
export { withoutOurFiles } from './inherited-files.js';
export type { ProgramKind } from './kinds.js';
export type { Followed, ProgramWords } from './followed.js';
export { followed, loadingVariables } from './followed.js';
export type { ProgramStart, Unseen } from './start.js';
export { runProgram, startProgram } from './start.js';
export { absoluteWords, filesOfWords, runsPackages } from './words.js';
export { gitRunsMore } from './plain-repository.js';
export type { Started } from './started.js';
export { isRepository, ownPackage, repositories, steering } from './started.js';
