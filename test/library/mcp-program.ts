// Connects a server, which is this program too, ends it, and says whether it then had something left to wait for.
import { createInterface } from 'node:readline';

import { connectMcp } from '../../src/library/mcp.js';

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'one', version: '1' },
  },
  'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
};

async function serve(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(line) as { readonly id?: number; readonly method: string };
    const result = RESULTS[method];
    const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  }
}

async function connect(program: string): Promise<void> {
  const servers = await connectMcp({ one: { command: process.execPath, args: [program, 'serve'] } });
  const { tools } = servers;
  await servers[Symbol.asyncDispose]();
  let end = 'at once';
  setTimeout(() => void (end = 'late'), 400).unref();
  process.on('exit', () => {
    process.stdout.write(`${tools.map(({ name }) => name).join()} ${end}\n`);
  });
}

const [, program = '', mode] = process.argv;
await (mode === 'serve' ? serve() : connect(program));
