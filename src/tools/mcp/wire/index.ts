export { addressFetch, CUT_OFF } from './address-fetch.js';
export { ChildTransport } from './child-transport.js';
export type { Sdk } from './sdk.js';
export { environmentOfPrograms, loadSdk, UNCHECKED, withOurIds } from './sdk.js';
export type { McpAddress, McpProgram, McpServer } from './server.js';
export { checkKeys, hasHeader, reachedBy } from './server.js';
