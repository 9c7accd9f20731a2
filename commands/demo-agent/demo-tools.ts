import type { Tool } from '../../src/core/index.js';
import type { BankOptions } from './bank/bank-tools.js';
import { bankTools } from './bank/bank-tools.js';
import { weatherTool } from './weather-tool.js';

/** The tools that only the demo model is offered: a bank, and the weather. */
export function demoTools(options: BankOptions): readonly Tool[] {
  return [...bankTools(options), weatherTool()];
}
