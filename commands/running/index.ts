export { atFirstPrompt } from './first-prompt.js';
export { inNewSession } from './new-session.js';
export { runSession } from './run-session.js';
export { startLines } from './start-lines.js';
export { statusBar } from './status-bar.js';
export { storyLines } from './story-lines.js';
export { unsavedNotices } from './unsaved.js';
