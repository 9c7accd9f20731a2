// The program as a client of the protocol, as the scenarios start one: with the address of a server as the last word.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const HITL = fileURLToPath(new URL('../../dist/bin/hitl.js', import.meta.url));
const INPUTS = { add_numbers: { a: 2, b: 3 } };
const url = process.argv.at(-1) ?? '';
const home = mkdtempSync(join(tmpdir(), 'hitl-conformance-'));

/** Runs the program to its end; `heard` hears what it says to a person. */
function hitl(words, heard = () => undefined) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [HITL, ...words], {
      cwd: home,
      env: { ...process.env, HITL_HOME: home, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let said = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => heard((said += chunk)));
    child.once('close', (status) => {
      if (status !== 0) process.stderr.write(said); // the report of a scenario has it
      resolve({ status, out, said });
    });
  });
}

/** Logs in as a person does: opens the link that is shown. */
async function logIn() {
  let opened = false;
  return await hitl(['mcp', 'login', url], (said) => {
    const link = /^http\S+$/mu.exec(said)?.[0];
    if (link === undefined || opened || !said.includes('for the browser; Ctrl-C stops')) return;
    opened = true;
    void globalThis.fetch(link).catch(() => undefined);
  });
}

let status = 0;
try {
  if (process.env['MCP_CONFORMANCE_SCENARIO']?.startsWith('auth/')) status = (await logIn()).status ?? 1;
  const tested = await hitl(['mcp', 'test', url, '--json']);
  const tools = tested.status === 0 ? JSON.parse(tested.out).flatMap((one) => one.tools) : [];
  status ||= tested.status ?? 1;
  for (const { name } of tools) {
    const input = INPUTS[name.replace(/^.*?__/u, '')] ?? {};
    const replies = [{ tools: [{ name, input }] }, { text: 'done' }];
    writeFileSync(join(home, 's.jsonl'), replies.map((reply) => `${JSON.stringify(reply)}\n`).join(''));
    const words = ['chat', '-m', 'script:s.jsonl', '--mcp', url, '--allow', name, '-p', 'go'];
    status ||= (await hitl(words)).status ?? 1;
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = status;
