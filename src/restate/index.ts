export type { RestateDispatcherOptions } from './restate-dispatcher.js';
export { createRestateDispatcher } from './restate-dispatcher.js';
export type { RestateContext, RestateObject, RestateSdk } from './restate-sdk.js';
