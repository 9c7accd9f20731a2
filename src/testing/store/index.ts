export type { StoreCase, StoreUnderTest } from './store-case.js';
export { sessionStoreCases } from './session-store-cases.js';
