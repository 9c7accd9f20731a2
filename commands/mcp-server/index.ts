export type { AskingServerOptions } from './asking-server.js';
export { askingServer } from './asking-server.js';
export { loadServerSdk } from './sdk.js';
