// Plays a work of ten calls with real agents behind `hitl chat --agent` and a played model, once to its end and once killed
// at each question, and prints a table of what held.
// node bench/acp.mjs [folder of the agents' packages]
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const agents = path.resolve(process.argv[2] ?? path.join(root, 'bench/agents'));
const only = process.argv[3];
const PROGRAM = path.join(root, 'dist/bin/hitl.js');

/** The work, in words of each agent's tools: reads, writes, edits and commands; what changes something says what shows it. */
const work = (at, { file, read, write, edit, run }) => {
  const named = (name) => ({ [file]: path.join(at, name) });
  const text = (name) => (existsSync(path.join(at, name)) ? readFileSync(path.join(at, name), 'utf8') : '');
  return [
    { call: [read, named('a.txt')] },
    { call: [write, { ...named('b.txt'), content: 'one\n' }], isDone: () => text('b.txt') !== '' },
    { call: [read, named('b.txt')] },
    { call: edit(named('b.txt'), 'one', 'two'), isDone: () => text('b.txt') === 'two\n' },
    { call: run('cat b.txt >> log.txt'), isDone: () => text('log.txt').includes('two') },
    { call: [write, { ...named('c.txt'), content: 'three\n' }], isDone: () => text('c.txt') !== '' },
    { call: [read, named('c.txt')] },
    { call: run('echo last >> log.txt'), isDone: () => text('log.txt').includes('last') },
    { call: edit(named('c.txt'), 'three', 'four'), isDone: () => text('c.txt') === 'four\n' },
    { call: [read, named('c.txt')] },
  ];
};
const EXPECTED = { 'a.txt': 'alpha\n', 'b.txt': 'two\n', 'c.txt': 'four\n', 'log.txt': 'two\nlast\n' };

const AGENTS = {
  gemini: {
    bin: 'gemini',
    package: '@google/gemini-cli',
    tools: {
      file: 'file_path',
      read: 'read_file',
      write: 'write_file',
      edit: (name, old_string, new_string) => [
        'replace',
        { ...name, old_string, new_string, instruction: 'change it' },
      ],
      run: (command) => ['run_shell_command', { command, description: 'run it' }],
    },
    env: (url) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: 'gemini-2.5-flash' }),
    configure: () => undefined,
    isReply: (url) => url.includes('streamGenerateContent') || url.includes('generateContent'),
    done: (body) =>
      JSON.parse(body)
        .contents.flatMap(({ parts }) => parts)
        .filter(({ functionResponse: told }) => told !== undefined).length,
    stream(call, done, url) {
      const part =
        call === undefined
          ? { text: 'Done.' }
          : { functionCall: { id: `call-${done}`, name: call[0], args: call[1] } };
      const reply = {
        candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      };
      return url.includes('stream') ? `data: ${JSON.stringify(reply)}\n\n` : JSON.stringify(reply);
    },
  },
  opencode: {
    bin: 'opencode',
    package: 'opencode-ai',
    tools: {
      file: 'filePath',
      read: 'read',
      write: 'write',
      edit: (name, oldString, newString) => ['edit', { ...name, oldString, newString }],
      run: (command) => ['bash', { command, description: 'run it' }],
    },
    env: () => ({}),
    configure(home, url) {
      mkdirSync(path.join(home, '.config/opencode'), { recursive: true });
      writeFileSync(
        path.join(home, '.config/opencode/opencode.json'),
        JSON.stringify({
          autoupdate: false,
          model: 'played/played',
          small_model: 'played/played',
          permission: { edit: 'ask', bash: 'ask' },
          provider: {
            played: {
              npm: '@ai-sdk/openai-compatible',
              name: 'played',
              options: { baseURL: `${url}/v1`, apiKey: 'x' },
              models: { played: { name: 'played', tool_call: true } },
            },
          },
        }),
      );
    },
    isReply: (url) => url.endsWith('/chat/completions'),
    done: (body) => JSON.parse(body).messages.filter(({ role }) => role === 'tool').length,
    stream(call, done) {
      const chunk = (delta, finish_reason = null) =>
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'played', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      const said =
        call === undefined
          ? { role: 'assistant', content: 'Done.' }
          : {
              role: 'assistant',
              tool_calls: [
                {
                  ...{ index: 0, id: `call_${done}`, type: 'function' },
                  function: { name: call[0], arguments: JSON.stringify(call[1]) },
                },
              ],
            };
      return `${chunk(said)}${chunk({}, call === undefined ? 'stop' : 'tool_calls')}data: [DONE]\n\n`;
    },
  },
};

/**
 * A model that makes the next call of the work, by the results that it is told of; that of an agent that is killed looks at
 * what is not done yet, as a model does that reads the folder again.
 */
async function playedModel(agent, steps, isKilled) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (process.env.SHOW) console.error(request.method, request.url, body.length);
      if (!agent.isReply(request.url)) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"totalTokens":1,"data":[]}');
        return;
      }
      const hasTools = body.includes(agent.tools.write);
      const done = agent.done(body);
      const isStream = agent.bin !== 'gemini' || request.url.includes('stream');
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      const next = isKilled ? steps.find(({ isDone }) => isDone?.() === false) : steps[done];
      response.end(agent.stream(hasTools ? next?.call : undefined, `${done}-${Date.now()}`, request.url));
    });
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => server.closeAllConnections?.() ?? server.close(),
  };
}

function started(args, { cwd, env }, input) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  if (input !== undefined) child.stdin.end(input);
  const ended = new Promise((done) => child.on('close', (status) => done({ status, output })));
  return { child, ended };
}

const journalOf = (at) => {
  const folder = path.join(at.env.HITL_HOME, 'sessions');
  const [id] = existsSync(folder) ? readdirSync(folder) : [];
  const file = id === undefined ? undefined : path.join(folder, id, 'journal.jsonl');
  const lines = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return { id, events: lines.filter((line) => line !== '').map((line) => JSON.parse(line).event) };
};

const openIn = ({ events }) => {
  const count = (type) => events.filter((event) => event.type === type).length;
  return count('interrupt-raised') - count('interrupt-resolved');
};

async function waitFor(look, what) {
  for (let tries = 0; tries < 900; tries += 1) {
    if (look()) return;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error(`waited in vain for ${what}`);
}

const isOver = ({ events }) => events.at(-1)?.type === 'run-ended';

async function played(name, isKilled) {
  const agent = AGENTS[name];
  const home = mkdtempSync(path.join(tmpdir(), 'hitl-acp-'));
  const cwd = path.join(home, 'shop');
  for (const folder of ['hitl', 'shop', 'bin']) mkdirSync(path.join(home, folder));
  writeFileSync(path.join(cwd, 'a.txt'), 'alpha\n');
  symlinkSync(path.join(agents, 'node_modules/.bin', agent.bin), path.join(home, 'bin', agent.bin));
  symlinkSync(process.execPath, path.join(home, 'bin/node'));
  const model = await playedModel(agent, work(cwd, agent.tools), isKilled);
  const env = {
    ...{ PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`, HOME: home, HITL_HOME: path.join(home, 'hitl') },
    ...agent.env(model.url),
  };
  const at = { cwd, env };
  agent.configure(home, model.url);
  try {
    if (isKilled) {
      let [args, run] = [['chat', '--agent', name, '-p', 'go'], 0];
      for (; run < 30; run += 1) {
        const { child, ended } = started(args, at);
        const news = () => openIn(journalOf(at)) > 0 || isOver(journalOf(at)) || child.exitCode !== null;
        await waitFor(news, 'a question');
        if (openIn(journalOf(at)) === 0) {
          child.stdin.end();
          const end = await ended;
          if (process.env.SHOW) console.error(end.output.slice(-3000));
          break;
        }
        child.kill('SIGKILL');
        await ended;
        const { id } = journalOf(at);
        const answer = await started(['answer', id, 'y', '--any'], at, '').ended;
        if (answer.status !== 0) throw new Error(answer.output);
        args = ['resume', id, '-p'];
      }
    } else {
      const end = await started(['chat', '--agent', name, '-p', 'go'], at, 'y\n'.repeat(40)).ended;
      if (process.env.SHOW) console.error(end.status, end.output.slice(-6000));
    }
    const { events } = journalOf(at);
    const calls = events.filter(({ type }) => type === 'tool-started').map((event) => event.name);
    const files = Object.fromEntries(
      Object.keys(EXPECTED).map((file) => [
        file,
        existsSync(path.join(cwd, file)) ? readFileSync(path.join(cwd, file), 'utf8') : undefined,
      ]),
    );
    const holds = JSON.stringify(files) === JSON.stringify(EXPECTED);
    const count = (tool) => calls.filter((one) => one === tool).length;
    return {
      holds,
      files,
      permissions: count('agent_permission'),
      reads: count('read_file'),
      writes: count('write_file'),
      commands: count('run_command'),
      asked: events.filter(({ type }) => type === 'interrupt-raised').length,
    };
  } finally {
    model.close();
    if (process.env.KEEP) console.error(home);
    else rmSync(home, { recursive: true, force: true });
  }
}

const versionOf = ({ package: name }) =>
  JSON.parse(readFileSync(path.join(agents, 'node_modules', name, 'package.json'), 'utf8')).version;

console.log(
  '| agent | killed | permissions | reads, writes, commands through hitl | questions | work done once |',
);
console.log('| --- | --- | --- | --- | --- | --- |');
for (const [name, agent] of Object.entries(AGENTS)) {
  if (only !== undefined && only !== name) continue;
  for (const isKilled of [false, true]) {
    const { holds, files, permissions, reads, writes, commands, asked } = await played(name, isKilled);
    const row = [
      `${name} ${versionOf(agent)}`,
      isKilled ? 'at each question' : 'never',
      permissions,
      `${reads}, ${writes}, ${commands}`,
      asked,
      holds ? 'yes' : `no: ${JSON.stringify(files)}`,
    ];
    console.log(`| ${row.join(' | ')} |`);
  }
}
process.exit(0);
