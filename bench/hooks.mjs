// Plays the hooks of `hitl hook` with the real agents and a played model, and prints a table of what held.
// node bench/hooks.mjs [folder of the agents' packages]
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
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { event, message } from './harness/messages-wire.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const agents = path.resolve(process.argv[2] ?? path.join(root, 'bench/agents'));
const PROGRAM = path.join(root, 'dist/bin/hitl.js');
const CLAUDE = path.join(agents, 'node_modules/.bin/claude');
const CODEX = path.join(agents, 'node_modules/.bin/codex');

/** A model that makes its calls in one reply, and then ends; it notes what it is told. */
async function playedModel(streams) {
  const requests = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (!streams.isReply(request)) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"input_tokens":10,"data":[]}');
        return;
      }
      requests.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(streams.reply(body));
    });
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

/** Whether the person has said something since the last reply. */
function isAsked(messages) {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const texts = since.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.map(({ text }) => text),
  );
  return texts.some((text) => /^go(?: on)?$/u.test(text?.trim() ?? ''));
}

function ofMessages(calls) {
  const block = (block, index) => {
    const isCall = block.type === 'tool_use';
    const start = isCall ? { ...block, input: {} } : { type: 'text', text: '' };
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      : { type: 'text_delta', text: block.text };
    return [
      event('content_block_start', { index, content_block: start }),
      event('content_block_delta', { index, delta }),
      event('content_block_stop', { index }),
    ];
  };
  const stream = (reason, ...blocks) =>
    [
      event('message_start', { message: { ...message, id: `msg_${Date.now()}` } }),
      ...blocks.flatMap(block),
      event('message_delta', {
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 1 },
      }),
      event('message_stop', {}),
    ].join('');
  return {
    isReply: ({ url }) => url.startsWith('/v1/messages') && !url.includes('count_tokens'),
    reply: (body) =>
      !body.includes('"Bash"') || !isAsked(JSON.parse(body).messages)
        ? stream('end_turn', { type: 'text', text: 'Done.' })
        : stream(
            'tool_use',
            ...calls.map((command, at) => ({
              ...{ type: 'tool_use', id: `toolu_0${at}played`, name: 'Bash' },
              input: { command, description: 'Make a file' },
            })),
          ),
  };
}

function ofResponses(calls) {
  const stream = (...items) =>
    [
      event('response.created', { response: { id: 'resp_1' } }),
      ...items.map((item, at) => event('response.output_item.done', { output_index: at, item })),
      event('response.completed', {
        response: { id: 'resp_1', usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
      }),
    ].join('');
  return {
    isReply: ({ url }) => url.endsWith('/responses'),
    reply: (body) =>
      JSON.parse(body).input.at(-1).type === 'function_call_output'
        ? stream({
            ...{ type: 'message', role: 'assistant', id: 'msg_1' },
            content: [{ type: 'output_text', text: 'Done.' }],
          })
        : stream(
            ...calls.map((cmd, at) => ({
              ...{ type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, name: 'exec_command' },
              arguments: JSON.stringify({ cmd }),
            })),
          ),
  };
}

function ran(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const ended = new Promise((done) => child.on('close', (status) => done({ status, stdout, stderr })));
  return { child, ended };
}

/** A home, a folder to work in, and the agent in it with its hook. */
function place() {
  const home = mkdtempSync(path.join(tmpdir(), 'hitl-hooks-'));
  const work = path.join(home, 'shop');
  mkdirSync(path.join(home, 'hitl'));
  mkdirSync(work);
  mkdirSync(path.join(home, 'bin'));
  symlinkSync(PROGRAM, path.join(home, 'bin/hitl'));
  symlinkSync(process.execPath, path.join(home, 'bin/node'));
  const env = {
    ...{ PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`, HOME: home, HITL_HOME: path.join(home, 'hitl') },
    ...{ CLAUDE_CONFIG_DIR: path.join(home, '.claude'), CODEX_HOME: path.join(home, '.codex') },
    ...{ DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  };
  return { home, work, env };
}

const hitl = (at, ...args) => ran(process.execPath, [PROGRAM, ...args], { cwd: at.work, env: at.env }).ended;

async function waitFor(look, what) {
  for (let tries = 0; tries < 300; tries += 1) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** A question that is open. */
function question(at, isOther = () => true) {
  const folder = path.join(at.env.HITL_HOME, 'sessions');
  if (!existsSync(folder)) return undefined;
  for (const id of readdirSync(folder).filter((one) => one.startsWith('ask-') && isOther(one))) {
    const file = path.join(folder, id, 'journal.jsonl');
    const journal = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const digest = /"interrupt-raised".*"digest":"([0-9a-f]{8})/u.exec(journal)?.[1];
    if (digest !== undefined) return { id, digest, input: askedIn(journal) };
  }
  return undefined;
}

function askedIn(journal) {
  const lines = journal
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event);
  return lines.find(({ type }) => type === 'interrupt-raised').interrupt.source.input;
}

async function answered(at, answer, isOther) {
  const { id, digest, input } = await waitFor(() => question(at, isOther), 'a question');
  const words =
    answer === 'edit'
      ? [JSON.stringify({ action: 'restart', input: { ...input, command: EDITED } })]
      : answer;
  const told = await hitl(at, 'answer', id, ...words, '--digest', digest);
  if (told.status !== 0) throw new Error(told.stderr);
  return id;
}

/** Asks the server as a browser does, which finds a name below `localhost` on this machine. */
function browsed(link, where, fields, cookie = '') {
  const { host, port, origin } = new URL(link);
  const sent = request({
    ...{ hostname: '127.0.0.1', port, path: where, method: fields === undefined ? 'GET' : 'POST' },
    headers: { host, origin, cookie, 'content-type': 'application/x-www-form-urlencoded' },
  });
  return new Promise((done, failed) => {
    sent.on('error', failed).on('response', async (response) => {
      const { statusCode: status, headers } = response;
      done({ status, headers, text: Buffer.concat(await response.toArray()).toString() });
    });
    sent.end(fields === undefined ? '' : new URLSearchParams(fields).toString());
  });
}

/** Signs in at the page, and presses the button that approves. */
async function answeredOnPage(at) {
  await waitFor(() => question(at), 'a question');
  const people = path.join(at.home, 'people.txt');
  const token = 'a-token-of-somebody-0123456789abcdef';
  writeFileSync(people, `sam ${token}\n`, { mode: 0o600 });
  const args = ['serve', '--port', '0', '--auth', 'token-file', '--token-file', people, '--no-trust'];
  const { child } = ran(process.execPath, [PROGRAM, ...args], { cwd: at.work, env: at.env });
  try {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    const link = await waitFor(() => /http:\/\/\S+/u.exec(said)?.[0], 'the server');
    const signedIn = await browsed(link, '/sign-in', { token });
    const cookie = signedIn.headers['set-cookie'][0].split(';')[0];
    const [where] = /\/sessions\/[^"]*\/questions\/[^"#]*/u.exec(
      (await browsed(link, '/', undefined, cookie)).text,
    );
    const { text } = await browsed(link, where, undefined, cookie);
    const form = text
      .split('<form')
      .find((one) => one.includes('/answer"') && one.includes('name="way" value="y"'))
      .split('</form>')[0];
    const fields = [...form.matchAll(/name="(\w+)"\s+value="([^"]*)"/gu)].map(([, key, value]) => [
      key,
      value,
    ]);
    const { status } = await browsed(link, /action="([^"]+)"/u.exec(form)[1], fields, cookie);
    if (status >= 400) throw new Error(`the page answered ${status}`);
  } finally {
    child.kill('SIGKILL');
  }
}

const SHOWN = 'touch shown';
const SECOND = 'touch second';
const APPENDED = 'echo once >> shown';
const EDITED = 'touch edited';

const CODEX_EXEC = [
  ...['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust'],
  ...['-s', 'danger-full-access'],
];

const AGENTS = {
  'claude-code': {
    program: CLAUDE,
    streams: ofMessages,
    args: (resumed) => [
      '-p',
      'go',
      '--output-format',
      'json',
      ...(resumed === undefined ? [] : ['--resume', resumed]),
    ],
    again: ['-p', 'go on', '--output-format', 'json', '--continue'],
    env: (model) => ({ ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: model.url }),
    file: (at) => path.join(at.env.CLAUDE_CONFIG_DIR, 'settings.json'),
  },
  codex: {
    program: CODEX,
    streams: ofResponses,
    args: () => [...CODEX_EXEC, 'go'],
    again: [...CODEX_EXEC, 'resume', '--last', 'go on'],
    env: () => ({ OPENAI_API_KEY: 'x' }),
    file: (at) => path.join(at.env.CODEX_HOME, 'hooks.json'),
    configure(at, model) {
      writeFileSync(
        path.join(at.env.CODEX_HOME, 'config.toml'),
        `model = "played"\nmodel_provider = "played"\n[model_providers.played]\nname = "played"\nbase_url = "${model.url}/v1"\nwire_api = "responses"\n`,
      );
    },
  },
};

/** Installs the hook as a person does; only the time that it waits is another. */
async function install(name, at, { wait, model }) {
  const told = await hitl(at, 'hook', 'install', name, '--yes');
  if (told.status !== 0) throw new Error(told.stderr);
  const file = AGENTS[name].file(at);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`hook ${name}`, `hook ${name} --wait ${wait}`));
  AGENTS[name].configure?.(at, model);
}

/** Runs an agent; what files it made, and what the model was told of the call. */
async function played(name, { wait = '40s', calls = [SHOWN], rules, answer, page, later, killed }) {
  const agent = AGENTS[name];
  const at = place();
  const model = await playedModel(agent.streams(calls));
  try {
    if (rules !== undefined)
      writeFileSync(path.join(at.env.HITL_HOME, 'config.json'), JSON.stringify({ rules }));
    await install(name, at, { wait, model });
    const options = { cwd: at.work, env: { ...at.env, ...agent.env(model) }, detached: true };
    const first = ran(agent.program, agent.args(), options);
    if (page) await answeredOnPage(at);
    const done = [];
    for (const _ of answer === undefined ? [] : calls)
      done.push(await answered(at, answer, (id) => !done.includes(id)));
    if (killed) {
      await waitFor(() => question(at), 'a question');
      process.kill(-first.child.pid, 'SIGKILL');
      await first.ended;
      const dead = await answered(at, killed);
      const next = ran(agent.program, agent.again, options);
      void answered(at, killed, (id) => id !== dead).catch(() => undefined); // where the agent’s call is a new one
      const { status } = await next.ended;
      return { text: readFileSync(path.join(at.work, 'shown'), 'utf8'), status };
    }
    let end = await first.ended;
    const before = readdirSync(at.work);
    if (later !== undefined) {
      await answered(at, later);
      const { session_id: session } = JSON.parse(end.stdout);
      end = await ran(agent.program, agent.args(session), options).ended;
    }
    if (process.env.SHOW)
      console.error(
        end,
        model.requests.map((one) => one.slice(-700)),
      );
    return { before, made: readdirSync(at.work), told: model.requests.at(-1) ?? '', status: end.status, end };
  } finally {
    model.close();
    rmSync(at.home, { recursive: true, force: true });
  }
}

const isMade =
  (...names) =>
  ({ made }) =>
    JSON.stringify(made) === JSON.stringify(names);
const CASES = [
  ['a rule allows', { rules: { allow: ['run_command touch …'] } }, isMade('shown')],
  [
    'a rule denies, with its words',
    { rules: { deny: ['run_command touch'] } },
    (one) => isMade()(one) && one.told.includes('deny run_command touch'),
  ],
  ['approved from a second terminal', { answer: ['y'] }, isMade('shown')],
  [
    'rejected with a reason',
    { answer: ['n', 'use mkdir'] },
    (one) => isMade()(one) && one.told.includes('use mkdir'),
  ],
  ['edited', { answer: 'edit' }, isMade('edited')],
  [
    'two calls in one reply, two questions',
    { calls: [SHOWN, SECOND], answer: ['y'] },
    isMade('second', 'shown'),
  ],
  ['approved on the web page', { page: true }, isMade('shown')],
  [
    'agent and hook killed at the question, answered, resumed',
    { wait: '10s', calls: [APPENDED], killed: ['y'] },
    (one) => one.text === 'once\n',
  ],
  [
    'deferred, edited, resumed',
    { wait: '1s', later: 'edit' },
    (one) => one.before.length === 0 && isMade('edited')(one),
    'claude-code',
  ],
  [
    'nobody answers: denied in words',
    { wait: '1s' },
    (one) => isMade()(one) && one.told.includes('no answer yet to question'),
    'codex',
  ],
];

let failed = 0;
const only = process.env.ONLY;
process.stdout.write('| agent | what happens | held |\n| --- | --- | --- |\n');
for (const name of Object.keys(AGENTS)) {
  const { stdout } = await ran(AGENTS[name].program, ['--version'], {}).ended;
  for (const [what, given, holds, agent = name] of CASES) {
    if (agent !== name || (only && !`${name} ${what}`.includes(only))) continue;
    let held;
    try {
      held = holds(await played(name, given)) ? 'yes' : 'no';
    } catch (error) {
      held = `no: ${error.message.split('\n')[0]}`;
    }
    if (held !== 'yes') failed += 1;
    process.stdout.write(`| ${name} ${/\d+\.\d+\.\d+/u.exec(stdout)?.[0]} | ${what} | ${held} |\n`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
