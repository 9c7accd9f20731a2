// Runs the conformance scenarios of the Model Context Protocol against the built program, both ways, and compares what
// passes with what is said to: a scenario that fails without a reason here is a fault, and so is one that has come to pass.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startServer } from './server.mjs';

/** The scenarios for clients that are not passed, each with the reason. */
const NOT_SUPPORTED = {
  'elicitation-sep1034-client-defaults':
    'a form is answered by a person, and here nobody sits; the defaults stand in the form',
  'auth/basic-cimd': 'hitl has no address of its own at which a document about it could stand; it registers',
  'auth/scope-step-up': 'a run never logs in: it says that the server wants a login',
  'auth/pre-registration': 'there is no setting for a client that was registered by hand',
  'auth/2025-03-26-oauth-metadata-backcompat':
    'that server names another issuer than its address, which the SDK of the protocol refuses, and so does hitl',
  'auth/client-credentials-jwt':
    'a login is a person’s; a header of the configuration says the key of a program',
  'auth/client-credentials-basic':
    'a login is a person’s; a header of the configuration says the key of a program',
  'auth/cross-app-access-complete-flow': 'a login is a person’s, at the server itself',
};

/** The scenarios for servers that fit one that speaks lines and whose tools are its own. */
const SERVER = ['server-initialize', 'ping', 'tools-list'];
const NO_SERVER =
  '29 scenarios for servers want the tools, resources and prompts of a test server, or HTTP itself: `hitl mcp` has four tools of its own and speaks lines';

/** All scenarios for clients run at once: on a busy machine each takes long. */
const TIMEOUT_MS = 600_000;

/** Runs the program of the scenarios to its end. */
function run(...words) {
  return new Promise((resolve) => {
    const cwd = fileURLToPath(new URL('.', import.meta.url));
    const program = '../node_modules/@modelcontextprotocol/conformance/dist/index.js';
    const env = { ...process.env, NO_COLOR: '1' };
    const child = spawn(process.execPath, ['--import', './on-node-20.mjs', program, ...words], { cwd, env });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    child.once('close', (status) => {
      resolve({ status, said });
    });
  });
}

const began = Date.now();
const faults = [];
const left = [];
let passed = 0;

const client = await run(
  ...['client', '--command', 'node client.mjs', '--suite', 'all', '--timeout', String(TIMEOUT_MS)],
);
const told = [...client.said.matchAll(/^([✓✗]) (\S+): /gmu)];
const missing = new Set(Object.keys(NOT_SUPPORTED));
for (const [, mark, name] of told) {
  const reason = NOT_SUPPORTED[name];
  missing.delete(name);
  if (mark === '✓') passed += 1;
  if (mark === '✗' && reason !== undefined) left.push(`${name}: ${reason}`);
  if (mark === '✗' && reason === undefined) faults.push(name);
  if (mark === '✓' && reason !== undefined) faults.push(`${name} passes, and is said not to`);
}
faults.push(...[...missing].map((name) => `${name} did not run`));
if (faults.length > 0) console.log(client.said);

const server = await startServer();
for (const name of SERVER) {
  const { status, said } = await run('server', '--url', server.url, '--scenario', name);
  if (status === 0) passed += 1;
  else faults.push(`${name}: ${said.slice(-300)}`);
}
server.stop();

for (const line of [...left.sort(), NO_SERVER]) console.log(`not supported: ${line}`);
for (const fault of faults) console.log(`FAULT ${fault}`);
console.log(
  `mcp conformance: ${passed} of ${told.length + SERVER.length} pass, ${left.length} are not supported, ${faults.length} faults, ${Math.round((Date.now() - began) / 1000)} s`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
