export { openApi } from './openapi.js';
export { apiRoutes, busy } from './routes.js';
