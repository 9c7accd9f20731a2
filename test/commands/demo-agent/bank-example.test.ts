import path from 'node:path';

import { beforeEach, expect, test, vi } from 'vitest';

import * as library from '../../../src/index.js';
import { readLedger } from '../../../commands/demo-agent/bank/ledger.js';
import { loadTools, toolSet } from '../../../src/tools/index.js';
import { runTool } from '../../tools/run-tool.js';
import { tempFolders } from '../../tools/temp-folder.js';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = tempFolders();
let ledger = '';

beforeEach(async () => {
  ledger = path.join((await folder()).path, 'ledger.jsonl');
  vi.stubEnv('BANK_LEDGER', ledger);
});

test('the example of a bank does what the built-in one does', async () => {
  const tools = toolSet(await loadTools('examples/bank.ts', { cwd: root, library: async () => library }));
  const transfer = tools.get('transfer_money')!;
  const large = { toAccount: 'ABC123', amount: 200 };
  expect(await runTool(transfer, { toAccount: 'ABC123', amount: 5000 }, { resumed: true })).toMatchObject({
    interrupt: { reason: 'not enough money', balance: 1000, amount: 5000 },
    options: { allowed: ['edit', 'reject'] },
  });
  expect(await runTool(transfer, large)).toEqual({
    interrupt: { reason: 'transfers above 100', balance: 1000, amount: 200, toAccount: 'ABC123' },
  });
  expect(await runTool(transfer, large, { resumed: true })).toEqual({
    output: { transferred: 200, toAccount: 'ABC123', balance: 800 },
  });
  expect(await runTool(tools.get('get_balance')!, {})).toEqual({ output: { balance: 800 } });
  expect(await readLedger(ledger)).toMatchObject([{ key: 'key-1', toAccount: 'ABC123', amount: 200 }]);
});
