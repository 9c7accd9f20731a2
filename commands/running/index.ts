export { atFirstPrompt } from './first-prompt.js';
export { inNewSession } from './new-session.js';
export { runSession } from './run-session.js';
export { unsavedNotices } from './unsaved.js';
