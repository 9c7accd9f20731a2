// Prints what is said of the Model Context Protocol with the tests that show it: runs them, and ends with 1 where a row
// has no test that passed. The conformance scenarios and servers of others have commands of their own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** The rows: what is shown, and words of the titles of the tests that show it. */
const ROWS = [
  ['every tool of server-everything is offered', 'are offered by the name of the server'],
  [
    'claims, schemas and the program are what a tool is: a change voids what was allowed',
    'so that a changed hint is',
  ],
  ['each call is asked about, whatever is claimed', 'ask before each call'],
  [
    'calls give text, structure, images, links, resources',
    'its output',
    'gives an image',
    'gives links',
    'gives a resource',
  ],
  ['no variable of ours is passed on', 'shows no variable of ours'],
  ['roots: the folder, and no other', 'is told the folder of the project'],
  ['progress', 'tells its progress'],
  ['cancellation by the person', 'stops with the reason of the person'],
  ['sampling is refused', 'cannot ask our model'],
  [
    'a call out of time, or a server killed in it, is in doubt',
    'does not answer in time',
    'killed while it runs',
  ],
  ['no process is left behind', 'leaves no process behind'],
  [
    'elicitation of 2025: nobody there, a form, an address declined',
    'nobody answered where',
    'gets the answer of the person',
    'declines, at an address',
  ],
  [
    'elicitation of 2026: answered in another process, on another server',
    'goes on with the answer in another process',
  ],
  [
    'elicitation of 2026: an address with its host, a secret refused',
    'shows its host as it is written',
    'asks for a password in a form',
  ],
  ['streamable HTTP', 'at an address are asked about'],
  ['resources', 'a resource that a message names'],
  [
    'prompts',
    'between fences',
    'every control character',
    'in a form, and a script',
    'is offered as one types',
    'asks whoever chose it',
  ],
  [
    'configuration: add, test, remove, trust, variables',
    'added, tested and removed',
    'only the variables that the list names',
  ],
  [
    'OAuth',
    'is not registered at by a run',
    'lets in whoever came back',
    'renews a key',
    'another state',
    'gets no key',
  ],
  ['`hitl mcp`: no tool answers', 'ask and look, and none of them answers'],
  [
    '`hitl mcp`: older and newer clients, a forged state',
    'client of an older protocol',
    'a forged one is refused',
  ],
  [
    '`hitl mcp`: a person answers another program, and an agent with a model',
    'answers, and the agent gets',
    'an agent with a model asks',
  ],
  ['`hitl mcp --ask-in-client`, and nothing without it', 'asked in the client', 'nobody chose that'],
  [
    'hostile names, schemas, numbers of tools',
    'names that models and terminals take',
    'are no more than 256',
    'schema without end',
    'that stop nothing',
  ],
  [
    'hostile answers: twice, foreign, none, cut off, 10 MB, kinds',
    'counts once',
    'is a failure, and the next',
    'in doubt at once',
    'may have 10 MB',
    'no kind of content',
  ],
  [
    'floods of progress, questions, lines; a question of no call',
    'with progress',
    'asks a person 20',
    '100 lines',
    'belongs to no call',
  ],
];
const FILES = [
  'tools/mcp',
  'library/mcp',
  'commands/mcp',
  'commands/asking',
  'e2e/mcp.test',
  'e2e/mcp-server',
];

const folder = mkdtempSync(path.join(tmpdir(), 'hitl-table-'));
const report = path.join(folder, 'report.json');
const words = [
  'vitest',
  'run',
  '--reporter=json',
  `--outputFile=${report}`,
  ...FILES.map((file) => `test/${file}`),
];
spawnSync('npx', words, { stdio: ['ignore', 'ignore', 'inherit'] });
const tests = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(
  ({ assertionResults }) => assertionResults,
);
rmSync(folder, { recursive: true });

let faults = 0;
console.log('| shown | tests | state |\n| --- | --- | --- |');
for (const [what, ...titles] of ROWS) {
  const found = titles.map((title) => tests.filter(({ fullName }) => fullName.includes(title)));
  const all = found.flat();
  const failed = all.filter(({ status }) => status === 'failed').length;
  const skipped = all.filter(({ status }) => status !== 'failed' && status !== 'passed').length;
  const isShown = failed === 0 && found.every((some) => some.length > 0);
  if (!isShown) faults += 1;
  const state = !isShown ? 'FAULT' : skipped > 0 ? `skipped ${skipped}: npm run tools` : 'passed';
  console.log(`| ${what} | ${all.length} | ${state} |`);
}
const passed = tests.filter(({ status }) => status === 'passed').length;
console.log(`\nmcp: ${ROWS.length} rows, ${faults} faults; ${passed} of ${tests.length} tests passed`);
process.exitCode = faults === 0 ? 0 : 1;
