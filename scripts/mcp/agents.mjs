// Lets agents of others, with a model that is played, ask a person by `hitl mcp`, as the guide configures them; the
// person answers with `hitl inbox` and `hitl answer`. Prints what happened, and ends with 1 where it is not what is said.
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { playMessages, playResponses } from './played-models.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const packages = path.join(root, 'bench/agents/node_modules');
const guide = readFileSync(path.join(root, 'docs/guides/mcp.md'), 'utf8');
const run = promisify(execFile);
const LIMIT_MS = 120_000;

/** What the played model does: it asks, tries a tool that answers, wants an approval, looks, and ends. */
const TURNS = [
  { tool: 'ask_human', input: { question: 'Which region?', key: 'region' } },
  { tool: 'answer', input: { id: 'region', answer: 'eu' } },
  { tool: 'request_approval', input: { action: 'deploy 2.1 to eu', facts: { version: '2.1' } } },
  { tool: 'list_waiting', input: {} },
  { text: 'Deployed, as the person said.' },
];

/** What the person is asked, in words of the inbox, and what they answer. */
const ANSWERS = [
  ['Which region?', 'eu'],
  ['wants to: deploy 2.1 to eu', 'y'],
];

/** What the agent must have been told of each call. */
const TOLD = [
  /"status":"answered","answer":"eu"/u,
  /no such tool|unsupported call|unknown tool/iu,
  /"status":"approved"/u,
  /"waiting":\[\]/u,
];

/** The agents: the binary, how it is configured by the guide, and its words for a script. */
const AGENTS = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    command: path.join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
    play: playMessages,
    configure(home) {
      writeFileSync(path.join(home, 'work/mcp.json'), inGuide('json', '"mcpServers": { "hitl"'));
    },
    words: () => ['-p', '--mcp-config', 'mcp.json', '--allowedTools', 'mcp__hitl', '--', 'deploy 2.1'],
    env: (url) => ({
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    command: path.join(packages, '.bin/codex'),
    play: playResponses,
    configure(home) {
      mkdirSync(path.join(home, '.codex'));
      writeFileSync(path.join(home, '.codex/config.toml'), inGuide('toml', '[mcp_servers.hitl]'));
    },
    words: (url) => [
      ...settings({
        model_provider: 'played',
        'model_providers.played.name': 'played',
        'model_providers.played.base_url': `${url}/v1`,
      }),
      ...['exec', '--skip-git-repo-check', 'deploy 2.1'],
    ],
    env: () => ({}),
  },
];

function settings(values) {
  return Object.entries(values).flatMap(([key, value]) => ['-c', `${key}="${value}"`]);
}

/** The block of the guide in which such words stand, as it is: what is run is what people read. */
function inGuide(language, words) {
  const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gmu)];
  const found = blocks.find(([, kind, text]) => kind === language && text.includes(words));
  if (found === undefined) throw new Error(`the guide shows no ${language} with ${words}`);
  return found[2];
}

/** Lets one agent work, and answers as the person. @returns what is wrong. */
async function letWork(agent) {
  const home = mkdtempSync(path.join(tmpdir(), 'hitl-agent-'));
  const cwd = path.join(home, 'work');
  const bin = path.join(home, 'bin');
  mkdirSync(cwd);
  mkdirSync(bin);
  symlinkSync(path.join(root, 'dist/bin/hitl.js'), path.join(bin, 'hitl'));
  agent.configure(home);
  const model = await agent.play(TURNS);
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: home,
    ...agent.env(model.url),
  };
  const over = new globalThis.AbortController();
  try {
    const answering = answerAll({ cwd, env }, over.signal);
    const ended = await ending(agent.command, agent.words(model.url), { cwd, env });
    over.abort();
    const answered = await answering;
    const wrong = TOLD.flatMap((told, index) =>
      told.test(model.results[index] ?? '')
        ? []
        : [`it was told of call ${index + 1}: ${model.results[index]}`],
    );
    for (const [index, { tool }] of TURNS.slice(0, -1).entries())
      print(`  ${tool}`, model.results[index] ?? 'was not called');
    print(`  ended with status ${ended.status}`, ended.out.trim());
    if (answered !== ANSWERS.length)
      wrong.push(`${answered} of ${ANSWERS.length} questions came to the inbox`);
    if (ended.status !== 0 || !ended.out.includes(TURNS.at(-1).text))
      wrong.push(`it did not end well: ${ended.said}`);
    return wrong;
  } finally {
    await model.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Answers each question when it is in the inbox. @returns how many came */
async function answerAll({ cwd, env }, signal) {
  for (const [index, [asked, answer]] of ANSWERS.entries()) {
    for (let seen = ''; !seen.includes(asked);) {
      if (signal.aborted) return index;
      await sleep(500);
      seen = (await run('hitl', ['inbox'], { cwd, env })).stdout;
      if (!seen.includes(asked)) continue;
      const line = seen.split('\n').find((one) => one.includes(asked)) ?? '';
      print('  hitl inbox', line);
      const id = /ask-\w+/u.exec(line)?.[0] ?? '';
      const told = JSON.parse((await run('hitl', ['inbox', '--json'], { cwd, env })).stdout);
      const digest = told.find(({ session }) => session === id)?.digest.slice(0, 8) ?? '';
      const { stderr, stdout } = await run('hitl', ['answer', id, answer, '--digest', digest], { cwd, env });
      print(`  hitl answer ${id} ${answer} --digest ${digest}`, `${stdout}${stderr}`.split('\n')[0]);
    }
  }
  return ANSWERS.length;
}

function ending(command, words, { cwd, env }) {
  return new Promise((resolve) => {
    const child = spawn(command, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
    let out = '';
    let said = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    child.once('close', (status) => resolve({ status, out, said }));
  });
}

function print(what, words) {
  console.log(`${what}: ${words}`);
}

const problems = [];
let worked = 0;
for (const agent of AGENTS) {
  if (!existsSync(agent.command)) {
    print(`skipped: ${agent.name}`, 'it is not here: npm ci --ignore-scripts --prefix bench/agents');
    continue;
  }
  const { version } = JSON.parse(readFileSync(path.join(packages, agent.package, 'package.json'), 'utf8'));
  console.log(`${agent.name} ${version}`);
  problems.push(...(await letWork(agent)).map((wrong) => `${agent.name}: ${wrong}`));
  worked += 1;
}
for (const problem of problems) console.log(`FAULT ${problem}`);
console.log(
  `agents that asked by hitl mcp: ${worked} worked, ${AGENTS.length - worked} skipped, ${problems.length} faults`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
