// `hitl mcp` behind an address: the scenarios for servers speak HTTP, and it speaks lines with the program that starts it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HITL = fileURLToPath(new URL('../../dist/bin/hitl.js', import.meta.url));

/** Starts such a server: one process for each client that begins. */
export async function startServer() {
  const home = mkdtempSync(join(tmpdir(), 'hitl-conformance-'));
  const programs = new Map();
  const http = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request, response) {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body);
    const id = request.headers['mcp-session-id'] ?? String(programs.size + 1);
    if (!programs.has(id)) programs.set(id, startProgram(home));
    const said = await programs.get(id)(message);
    response.setHeader('mcp-session-id', id);
    if (said === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  }
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    stop() {
      for (const program of programs.values()) program(undefined);
      http.closeAllConnections();
      http.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** One process of the server; says what it answers to a message, and ends at none. */
function startProgram(home) {
  const waiting = new Map();
  const env = { ...process.env, HITL_HOME: home };
  const child = spawn(process.execPath, [HITL, 'mcp'], { cwd: home, env, stdio: ['pipe', 'pipe', 'ignore'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  return (message) => {
    if (message === undefined) return void child.stdin.end();
    child.stdin.write(`${JSON.stringify(message)}\n`);
    if (message.id === undefined) return undefined;
    return new Promise((resolve) => waiting.set(message.id, resolve));
  };
}
