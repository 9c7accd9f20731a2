// The program as a client of the protocol, as the scenarios start one: with the address of a server as the last word.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const HITL = fileURLToPath(new URL('../../dist/bin/hitl.js', import.meta.url));
/** The tool that each scenario expects to be called, with its input. */
const CALLS = {
  tools_call: ['add_numbers', { a: 2, b: 3 }],
  'sse-retry': ['test_reconnection', {}],
  'elicitation-sep1034-client-defaults': ['test_client_elicitation_defaults', {}],
};
/** The call of all scenarios about logins. */
const CALL_OF_LOGINS = ['test-tool', {}];
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const url = process.argv.at(-1) ?? '';
const home = mkdtempSync(join(tmpdir(), 'hitl-conformance-'));

/** Runs the program to its end; `heard` hears what it says to a person. */
function hitl(words, heard = () => undefined) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [HITL, ...words], {
      cwd: home,
      env: { ...process.env, HITL_HOME: home, NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => heard((said += chunk)));
    child.once('close', (status) => {
      if (status !== 0) process.stderr.write(said); // the report of a scenario has it
      resolve({ status });
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

/** Runs a session whose model calls the tool. */
function call([tool, input]) {
  const name = `${new URL(url).hostname}__${tool}`;
  const replies = [{ tools: [{ name, input }] }, { text: 'done' }];
  writeFileSync(join(home, 's.jsonl'), replies.map((reply) => `${JSON.stringify(reply)}\n`).join(''));
  return hitl(['chat', '-m', 'script:s.jsonl', '--mcp', url, '--allow', name, '-p', 'go']);
}

async function play() {
  if (scenario === 'initialize') return await hitl(['mcp', 'test', url]);
  if (!scenario.startsWith('auth/')) return await call(CALLS[scenario]);
  const loggedIn = await logIn();
  return loggedIn.status === 0 ? await call(CALL_OF_LOGINS) : loggedIn;
}

try {
  process.exitCode = (await play()).status ?? 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
