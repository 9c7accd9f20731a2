export {
  FILE_MODE,
  flushedTogether,
  FOLDER_MODE,
  isTemporary,
  replaceCache,
  replaceWhole,
  syncFolder,
  writeFileAtomically,
  writeWhole,
} from './atomic-write.js';
export { asSaveFailed, asUnreadable, saveFailed, unreadable } from './errno.js';
export type { FileFacts, FileSystem } from './file-system.js';
export { OPEN, nodeFileSystem } from './file-system.js';
export { checkFacts, checkFolder, checkRoot, isLoose, openSafely, readText } from './safe-open.js';
