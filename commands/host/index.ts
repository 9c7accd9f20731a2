export { keepCompiledCode } from './compile-cache.js';
export { homeHere, accessible, protocolOutput, inFolder, processIo, withEnv, withOutputs } from './io.js';
export {
  asMember,
  hasTerminal,
  isAskable,
  ownerHere,
  personElsewhere,
  personHere,
  provenance,
  requesterHere,
} from './actor.js';
export { localIdentity, userName } from '../../src/library/local-user.js';
export { IN_TOUR } from './in-tour.js';
export type { Io } from './io.js';
export type { Log, LogForm } from './log-lines.js';
export { logLines, tell } from './log-lines.js';
export { isOfSignal, watchOutputs } from './outputs.js';
export { configFolder, historyFile, ownFolders, sessionsFolder, stateFolder } from './paths.js';
export { pathHere } from './path-here.js';
export { printJson } from './print-json.js';
export { replaceFile } from './replace-file.js';
export { secretValues } from './secret-values.js';
export { version } from './version.js';
export { folderWords, shortPlace, workPlace } from './work-place.js';
