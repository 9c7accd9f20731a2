// Runs the conformance scenarios of the Model Context Protocol against the built program, both ways, and compares what
// passes with what is said to: a scenario that fails without a reason here is a fault, and so is one that has come to pass.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startServer } from './server.mjs';

const AT_ONCE = 3;

/** The scenarios for clients, each with why it is not passed, or nothing. */
const CLIENT = {
  initialize: '',
  tools_call: '',
  'sse-retry': '',
  'elicitation-sep1034-client-defaults':
    'a form is answered by a person, and here nobody sits; the defaults stand in the form',
  'auth/metadata-default': '',
  'auth/metadata-var1': '',
  'auth/metadata-var2': '',
  'auth/metadata-var3': '',
  'auth/basic-cimd': 'hitl has no address of its own at which a document about it could stand; it registers',
  'auth/scope-from-www-authenticate': '',
  'auth/scope-from-scopes-supported': '',
  'auth/scope-omitted-when-undefined': '',
  'auth/scope-step-up': 'a run never logs in: it says that the server wants a login',
  'auth/scope-retry-limit': '',
  'auth/token-endpoint-auth-basic': '',
  'auth/token-endpoint-auth-post': '',
  'auth/token-endpoint-auth-none': '',
  'auth/pre-registration': 'there is no setting for a client that was registered by hand',
  'auth/2025-03-26-oauth-metadata-backcompat':
    'that server names another issuer than its address, which the SDK of the protocol refuses, and so does hitl',
  'auth/2025-03-26-oauth-endpoint-fallback': '',
  'auth/resource-mismatch': '',
  'auth/offline-access-scope': '',
  'auth/offline-access-not-supported': '',
  'auth/client-credentials-jwt':
    'a login is a person’s; a header of the configuration says the key of a program',
  'auth/client-credentials-basic':
    'a login is a person’s; a header of the configuration says the key of a program',
  'auth/cross-app-access-complete-flow': 'a login is a person’s, at the server itself',
};

/** The scenarios for servers that fit one that speaks lines and whose tools are its own. */
const SERVER = { 'server-initialize': '', ping: '', 'tools-list': '' };
const NO_SERVER =
  '29 scenarios for servers want the tools, resources and prompts of a test server, or HTTP itself: `hitl mcp` has four tools of its own and speaks lines';

/** Runs one scenario; `undefined` where it passes, else the first thing that it says is wrong. */
function tried(words) {
  return new Promise((resolve) => {
    const cwd = fileURLToPath(new URL('.', import.meta.url));
    const program = '../node_modules/@modelcontextprotocol/conformance/dist/index.js';
    const env = { ...process.env, NO_COLOR: '1' };
    const child = spawn(process.execPath, ['--import', './on-node-20.mjs', program, ...words], { cwd, env });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    child.once('close', (status) => {
      const wrong = said.split('\n').find((line) => /FAILURE|WARNING|EXITED/u.test(line));
      resolve(status === 0 ? undefined : (wrong ?? said.slice(-300)));
    });
  });
}

const faults = [];
let passed = 0;
const left = [];
async function each(scenarios, wordsOf) {
  const waiting = Object.entries(scenarios);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, reason] = next;
      const wrong = await tried(wordsOf(name));
      if (wrong === undefined) passed += 1;
      if (wrong !== undefined && reason !== '') left.push(`${name}: ${reason}`);
      if (wrong !== undefined && reason === '') faults.push(`${name}: ${wrong.trim()}`);
      if (wrong === undefined && reason !== '') faults.push(`${name} passes, and is said not to`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const began = Date.now();
await each(CLIENT, (name) => [
  'client',
  '--command',
  'node client.mjs',
  '--scenario',
  name,
  '--timeout',
  '60000',
]);
const server = await startServer();
await each(SERVER, (name) => ['server', '--url', server.url, '--scenario', name]);
server.stop();
for (const line of [...left.sort(), NO_SERVER]) console.log(`not supported: ${line}`);
for (const fault of faults) console.log(`FAULT ${fault}`);
const all = Object.keys(CLIENT).length + Object.keys(SERVER).length;
console.log(
  `mcp conformance: ${passed} of ${all} pass, ${left.length} are not supported, ${faults.length} faults, ${Math.round((Date.now() - began) / 1000)} s`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
