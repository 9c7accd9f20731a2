import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { bankTools } from '../../../commands/demo-agent/bank/bank-tools.js';
import { readLedger } from '../../../commands/demo-agent/bank/ledger.js';
import { toolSet } from '../../../src/tools/index.js';
import { runTool } from '../../tools/run-tool.js';

const clock = { now: () => Date.UTC(2026, 0, 1) };
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hitl-bank-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function bank(ledgerFile?: string) {
  const tools = toolSet(bankTools({ clock, ...(ledgerFile !== undefined && { ledgerFile }) }));
  return { transfer: tools.get('transfer_money')!, balance: tools.get('get_balance')! };
}

describe('transfer_money', () => {
  test('moves up to 100 without asking', async () => {
    const { transfer, balance } = bank();
    expect(await runTool(transfer, { toAccount: 'ABC123', amount: 100 })).toEqual({
      output: { transferred: 100, toAccount: 'ABC123', balance: 900 },
    });
    expect(await runTool(balance, {})).toEqual({ output: { balance: 900 } });
  });

  test('asks above 100, and moves the money when a person agreed', async () => {
    const { transfer } = bank();
    const input = { toAccount: 'ABC123', amount: 200 };
    expect(await runTool(transfer, input)).toEqual({
      interrupt: { reason: 'transfers above 100', balance: 1000, amount: 200, toAccount: 'ABC123' },
    });
    expect(await runTool(transfer, input, { resumed: true })).toEqual({
      output: { transferred: 200, toAccount: 'ABC123', balance: 800 },
    });
  });

  test('asks for another amount for as long as the balance is too low (case 54)', async () => {
    const { transfer } = bank();
    const asked = {
      interrupt: { reason: 'not enough money', balance: 1000, amount: 1500, toAccount: 'ABC123' },
      options: { allowed: ['edit', 'reject'] },
    };
    expect(await runTool(transfer, { toAccount: 'ABC123', amount: 1500 })).toEqual(asked);
    expect(await runTool(transfer, { toAccount: 'ABC123', amount: 1500 }, { resumed: true })).toEqual(asked);
    expect(await runTool(transfer, { toAccount: 'ABC123', amount: 900 }, { resumed: true })).toEqual({
      output: { transferred: 900, toAccount: 'ABC123', balance: 100 },
    });
  });

  test('never spends the same money twice in parallel calls', async () => {
    const { transfer, balance } = bank(path.join(folder, 'ledger.jsonl'));
    const input = { toAccount: 'ABC123', amount: 600 };
    const results = await Promise.all([
      runTool(transfer, input, { resumed: true }),
      runTool(transfer, input, { resumed: true }),
    ]);
    expect(results).toEqual([
      { output: { transferred: 600, toAccount: 'ABC123', balance: 400 } },
      {
        interrupt: { reason: 'not enough money', balance: 400, amount: 600, toAccount: 'ABC123' },
        options: { allowed: ['edit', 'reject'] },
      },
    ]);
    expect(await runTool(balance, {})).toEqual({ output: { balance: 400 } });
  });

  test('moves nothing after the run was stopped', async () => {
    const { transfer, balance } = bank();
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(runTool(transfer, { toAccount: 'A', amount: 5 }, { signal })).rejects.toThrow('stopped');
    expect(await runTool(balance, {})).toEqual({ output: { balance: 1000 } });
  });

  test.for([0, -5, '5'])('refuses the amount %j', async (amount) => {
    expect(await bank().transfer.parseInput({ toAccount: 'A', amount })).toMatchObject({ ok: false });
  });
});

describe('the ledger', () => {
  test('has one line with its key for each transfer, and outlives the process', async () => {
    const file = path.join(folder, 'deep', 'ledger.jsonl');
    await runTool(bank(file).transfer, { toAccount: 'A', amount: 10.1 }, { idempotencyKey: 'k1' });
    await runTool(bank(file).transfer, { toAccount: 'B', amount: 20.2 }, { idempotencyKey: 'k2' });
    expect(await runTool(bank(file).balance, {})).toEqual({ output: { balance: 969.7 } });
    const at = '2026-01-01T00:00:00.000Z';
    expect(await readLedger(file)).toEqual([
      { key: 'k1', toAccount: 'A', amount: 10.1, at },
      { key: 'k2', toAccount: 'B', amount: 20.2, at },
    ]);
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(3);
  });

  test('is empty where there is no file', async () => {
    expect(await readLedger(path.join(folder, 'none.jsonl'))).toEqual([]);
  });

  test('refuses a damaged line, naming it', async () => {
    const file = path.join(folder, 'ledger.jsonl');
    await writeFile(file, '{"key":"k","toAccount":"A","amount":1,"at":"t"}\n{"key"\n');
    await expect(readLedger(file)).rejects.toThrow('ledger.jsonl:2 is not a transfer');
  });
});
