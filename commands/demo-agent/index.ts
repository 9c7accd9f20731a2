export type { DemoModelOptions } from './demo-model.js';
export { createDemoModel } from './demo-model.js';
export { demoTools } from './demo-tools.js';
export { readLedger } from './bank/ledger.js';
export { bankTools } from './bank/bank-tools.js';
