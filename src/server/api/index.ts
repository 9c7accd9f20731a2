export type { Listed } from './cursor.js';
export { listSessions, listWaiting } from './cursor.js';
export { openApi } from './openapi.js';
export { busy, refusal } from './problem.js';
export { apiRoutes } from './routes.js';
