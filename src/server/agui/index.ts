export { runForClient } from './agui-route.js';
