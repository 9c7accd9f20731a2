import { expect, test } from 'vitest';

import { AgentLines, Traffic } from '../../../src/models/acp/traffic.js';

const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });

test('a response counts once, and only for an open request of ours', () => {
  const traffic = new Traffic();
  traffic.sent({ jsonrpc: '2.0', id: 1, method: 'initialize' });
  const answer = line({ id: 1, result: {} });
  expect([
    traffic.read(line({ id: 2, result: {} })),
    traffic.read(answer)?.type,
    traffic.read(answer),
  ]).toEqual([undefined, 'message', undefined]);
});

test('an id of the agent counts once while its request is open', () => {
  const traffic = new Traffic();
  const ask = line({ id: 'x', method: 'fs/read_text_file', params: {} });
  const read = [traffic.read(ask)?.type, traffic.read(ask)];
  traffic.sent({ jsonrpc: '2.0', id: 'x', result: {} });
  expect([...read, traffic.read(ask)?.type]).toEqual(['message', undefined, 'message']);
});

test.for([
  'hello',
  '[]',
  '{"id":1}',
  '{"jsonrpc":"2.0","id":null,"method":"x"}',
  '{"jsonrpc":"2.0","__proto__":1}',
  '',
])('what is no message reaches nobody: %s', (text) => {
  expect(new Traffic().read(text)).toBeUndefined();
});

test('lines that are no messages, and a line without end, are bounded', () => {
  const traffic = new Traffic();
  const lines = new AgentLines();
  const most = new Uint8Array(9 * 1024 * 1024).fill(65);
  lines.push(most);
  expect(() => {
    for (let n = 0; n <= 1_000; n += 1) traffic.read('junk');
  }).toThrow('the agent sent too much data: lines that are not protocol messages');
  expect(() => lines.push(most)).toThrow('the agent sent too much data: a message without end');
});
