export { addressChannel, programChannel } from './channel.js';
export type { ChildTransport } from './child-transport.js';
export { CUT_OFF } from './address-fetch.js';
export type { Sdk } from './sdk.js';
export { loadSdk, UNCHECKED } from './sdk.js';
export type { McpAddress, McpProgram, McpServer } from './server.js';
export { hasHeader, reachedBy } from './server.js';
