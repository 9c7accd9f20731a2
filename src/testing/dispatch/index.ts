export type { DispatcherCase, DispatcherUnderTest } from './dispatcher-cases.js';
export { dispatcherCases } from './dispatcher-cases.js';
