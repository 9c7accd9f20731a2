export { ICON, messagePage, signInPage } from './layout.js';
export type { PageRoute } from './page-routes.js';
export { pageResponse, pageRoutes } from './page-routes.js';
export { SCRIPT } from './script.js';
export { STYLE } from './style.js';
