export { listSessions } from './list-sessions.js';
export { listWaiting } from './list-waiting.js';
export { resolveId } from './resolve-id.js';
export { selectSessions } from './select-sessions.js';
export { selectWaiting } from './select-waiting.js';
export { sessionIds, wholeId } from './session-ids.js';
export { surveyStore } from './survey-store.js';
export { forgetRemoved, isInterrupt } from './waiting-index.js';
export { changesBetween, watchSessions } from './watch-sessions.js';
