export type { NewChat } from './new-chat.js';
export { inNewSession } from './new-session.js';
export { notify } from './notify.js';
export { hasCollector, runSession } from './run-session.js';
export { stillRunningLines } from './still-running.js';
export { storyLines } from './story-lines.js';
export { servedBy, servedFolders } from './worker-bounds.js';
export { unsavedNotices } from './unsaved.js';
