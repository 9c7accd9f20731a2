export { ICON, messagePage, signInPage } from './layout.js';
export { pageResponse, pageRoutes } from './page-routes.js';
export { SCRIPT } from './script.js';
export { STYLE } from './style.js';
