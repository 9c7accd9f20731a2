export type { BankOptions } from './bank-tools.js';
export { bankTools } from './bank-tools.js';
export type { Transfer } from './ledger.js';
export { readLedger } from './ledger.js';
