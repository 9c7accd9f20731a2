// Tries servers of others with the built program: each is started, its tools are listed, and one call of it is asked
// about, approved and made. Prints a line for each, and ends with 1 where one did not do what is said.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const root = path.resolve(import.meta.dirname, '../..');
const packages = path.join(root, 'tools/mcp-servers/node_modules');
const program = path.join(root, 'dist/bin/hitl.js');
const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const LIMIT_MS = 120_000;

/** The servers: the package, its program, its words; a call, in which `<cwd>` is its folder, and a word of what it gives. */
const SERVERS = [
  {
    package: '@modelcontextprotocol/server-everything',
    at: path.join(root, 'tools/node_modules'),
    file: 'dist/index.js',
    call: ['get-sum', { a: 2, b: 40 }, 'is 42'],
  },
  {
    package: '@modelcontextprotocol/server-filesystem',
    file: 'dist/index.js',
    words: ['.'],
    call: ['write_file', { path: 'new.txt', content: 'written' }, 'Successfully wrote'],
  },
  {
    package: '@modelcontextprotocol/server-memory',
    file: 'dist/index.js',
    call: [
      'create_entities',
      { entities: [{ name: 'Ann', entityType: 'person', observations: ['approves'] }] },
      'approves',
    ],
  },
  {
    package: '@modelcontextprotocol/server-sequential-thinking',
    file: 'dist/index.js',
    call: [
      'sequentialthinking',
      { thought: 'Look first.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      'thoughtHistoryLength',
    ],
  },
  {
    package: '@cyanheads/git-mcp-server',
    file: 'dist/index.js',
    call: ['git_status', { path: '<cwd>' }, 'a.txt'],
  },
  { package: '@eslint/mcp', file: 'src/mcp-cli.js', call: ['lint-files', { filePaths: ['a.js'] }, 'a.js'] },
  {
    package: '@playwright/mcp',
    file: 'cli.js',
    words: ['--headless', '--isolated', '--no-sandbox', '--executable-path', browser],
    call: ['browser_navigate', { url: 'about:blank' }, 'about:blank'],
    browser: true,
  },
  {
    package: 'chrome-devtools-mcp',
    file: 'build/src/bin/chrome-devtools-mcp.js',
    words: ['--headless', '--isolated', '--chromeArg=--no-sandbox', '--executablePath', browser],
    call: ['list_pages', {}, 'about:blank'],
    browser: true,
  },
];

function tried({ package: name, at = packages, file, words = [], call }) {
  const home = mkdtempSync(path.join(tmpdir(), 'hitl-server-'));
  const cwd = path.join(home, 'work');
  const env = { PATH: process.env['PATH'], HOME: home, HITL_HOME: path.join(home, 'hitl'), LANG: 'C.UTF-8' };
  const hitl = (...given) =>
    spawnSync(process.execPath, [program, ...given], { cwd, env, encoding: 'utf8', timeout: LIMIT_MS });
  try {
    mkdirSync(cwd);
    mkdirSync(env.HITL_HOME);
    execFileSync('git', ['init', '--quiet', '.'], { cwd, env });
    writeFileSync(path.join(cwd, 'a.txt'), 'hello\n');
    writeFileSync(path.join(cwd, 'a.js'), 'const a = 1;\n');
    writeFileSync(path.join(cwd, 'eslint.config.js'), 'export default [];\n');
    const added = hitl('mcp', 'add', 'it', '--', process.execPath, path.join(at, name, file), ...words);
    if (added.status !== 0) return { wrong: added.stderr };
    const [tested] = JSON.parse(hitl('mcp', 'test', 'it', '--json').stdout);
    if (tested.status !== 'ready') return { wrong: tested.why };
    const [tool, input, gives] = call;
    const replies = [{ tools: [{ name: `it__${tool}`, input }] }, { text: 'Done.' }];
    const lines = replies.map((reply) => `${JSON.stringify(reply).replace('<cwd>', cwd)}\n`);
    writeFileSync(path.join(cwd, 's.jsonl'), lines.join(''));
    const asked = hitl('chat', '-m', 'script:s.jsonl', '-p', 'go');
    const [waiting] = JSON.parse(hitl('inbox', '--json').stdout);
    if (waiting === undefined) return { wrong: `nobody was asked: ${asked.stderr}` };
    hitl('answer', waiting.session, 'y', '--digest', waiting.digest);
    const done = hitl('resume', '--last', '--quiet');
    const shown = hitl('show', waiting.session, '--json').stdout;
    const isGood = done.status === 0 && shown.includes(gives);
    const tools = tested.tools.length;
    return { tools, asked: asked.status, ...(!isGood && { wrong: `${done.stderr}${shown.slice(-600)}` }) };
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

let good = 0;
let faults = 0;
for (const server of SERVERS) {
  const { version } = JSON.parse(
    readFileSync(path.join(server.at ?? packages, server.package, 'package.json'), 'utf8'),
  );
  const name = `${server.package} ${version}`;
  if (server.browser === true && browser === undefined) {
    console.log(`skipped: ${name}: no browser is here`);
    continue;
  }
  const { tools, wrong } = tried(server);
  if (wrong === undefined) good += 1;
  else faults += 1;
  console.log(
    wrong === undefined
      ? `${name}: ${tools} tools, ${server.call[0]} asked, approved, done`
      : `FAULT ${name}: ${wrong}`,
  );
}
console.log(`mcp servers: ${good} work, ${SERVERS.length - good - faults} skipped, ${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
