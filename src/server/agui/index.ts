export type { ServedAgent } from './agui-route.js';
export { runForClient } from './agui-route.js';
