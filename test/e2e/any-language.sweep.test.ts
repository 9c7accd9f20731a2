// “From Python or any language”, as the guide has it: each program of it asks, and a person answers.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

import { Home, PROGRAM, ranBy } from '../helpers/program.js';
import { Running } from '../helpers/running.js';

const GUIDE = readFileSync('docs/guides/any-language.md', 'utf8');
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** The block of code below a heading of the guide. */
function block(heading: string, language: string): string {
  const part = GUIDE.slice(GUIDE.indexOf(`\n## ${heading}\n`));
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'u').exec(part)?.[1] ?? '';
}

/** What a step gets from GitHub, and the key of one attempt. */
const GITHUB = { GITHUB_REF_NAME: 'v2.1', GITHUB_REPOSITORY: 'ann/shop', KEY: 'deploy-1-1' };

/** The step of CI below a heading. */
function stepOf(heading: string): { readonly run: string; readonly env: object } {
  const [step] = parse(block(heading, 'yaml')) as readonly { run: string; env: object }[];
  return step ?? { run: '', env: {} };
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  server.close();
  await once(server, 'close');
  return String(typeof place === 'object' ? place?.port : '');
}

const TOKENS = { ann: 'ann'.padEnd(40, '-'), ci: 'ci'.padEnd(40, '-') };

interface Asked {
  readonly id: string;
  readonly digest: string;
}

/** A server for people and programs, on a port that it has again when it is started again. */
async function office() {
  const home = new Home();
  onTestFinished(() => {
    home[Symbol.dispose]();
  });
  const port = await freePort();
  const people = join(home.work, 'people.txt');
  writeFileSync(people, `ann ${TOKENS.ann}\nci ${TOKENS.ci} roles=ask\n`, { mode: 0o600 });
  const start = async (): Promise<Running> => {
    const auth = ['--auth', 'token-file', '--token-file', people];
    const server = new Running(home, ['serve', '--port', port, ...auth]);
    onTestFinished(() => server.kill());
    await server.until('Ctrl-C stops');
    return server;
  };
  const server = await start();
  const url = `http://127.0.0.1:${port}`;
  /** The only open question, once there is one. */
  const waiting = async (): Promise<Asked> => {
    const open = () =>
      home.ids().flatMap((id) => {
        try {
          return [{ id, digest: home.asked('i1', id).digest }];
        } catch {
          return [];
        }
      });
    await expect.poll(open, { timeout: 60_000 }).toHaveLength(1);
    return open()[0] ?? { id: '', digest: '' };
  };
  const answer = async ({ id, digest }: Asked, given: string): Promise<void> => {
    const reply = await fetch(`${url}/v1/sessions/${id}/answers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKENS.ann}`, 'content-type': 'application/json' },
      body: JSON.stringify({ interrupt: 'i1', digest, answer: given }),
    });
    expect(reply.status).toBe(200);
  };
  /** Starts a program in a group of its own, which can be killed whole. */
  const begin = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = spawn(program, args, {
      env: { ...home.env, ASK_URL: url, ASK_TOKEN: TOKENS.ci, ...env },
      cwd: home.work,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kill = () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    return { ended: ranBy(child), kill };
  };
  const run = (...given: Parameters<typeof begin>) => begin(...given).ended;
  return { home, server, start, waiting, answer, begin, run };
}

test('the line of a script runs what was approved, and nothing else', async () => {
  using home = new Home();
  writeFileSync(join(home.work, 'hitl'), `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(join(home.work, 'deploy.sh'), '#!/bin/sh\necho deployed\n', { mode: 0o755 });
  const run = () =>
    ranBy(
      spawn('bash', ['-c', block('A script on your machine', 'bash')], {
        env: { ...home.env, PATH: `${home.work}:${home.env['PATH'] ?? ''}` },
        cwd: home.work,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  const approved = run();
  await expect.poll(() => home.ids().length, { timeout: 60_000 }).toBe(1);
  await expect.poll(async () => (await home.run(['inbox', '--json'])).stdout).toContain('"digest"');
  await home.run(['answer', home.id, 'y', '--digest', home.digest()]);
  expect(await approved).toMatchObject({ status: 0, stdout: 'approved\ndeployed\n' });
  expect(await run()).toMatchObject({ status: 2, stdout: '' });
});

test.skipIf(!has('python3'))(
  'Python ends with its server, and asked again it is the same question, and one answer',
  async () => {
    const { home, server, start, waiting, answer, run } = await office();
    writeFileSync(join(home.work, 'ask.py'), block('Python', 'python'));
    const first = run('python3', ['ask.py']);
    const asked = await waiting();
    process.kill(server.pid, 'SIGKILL');
    expect(await first).toMatchObject({ status: 1, stdout: '' });
    await start();
    const second = run('python3', ['ask.py']);
    await answer(asked, 'y');
    expect(await second).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^approved by ann.*\n$/u),
    });
    expect(home.ids()).toEqual([asked.id]);
    expect(await run('python3', ['ask.py'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^used by /u),
    });
  },
);

test.skipIf(!has('curl'))(
  'a line of curl asks, and the same line again finds the same question',
  async () => {
    const { waiting, answer, run } = await office();
    const line = block('curl', 'bash');
    const [first, second] = [await run('bash', ['-c', line]), await run('bash', ['-c', line])];
    const { id, digest } = await waiting();
    expect([first, second].map(({ stdout }) => JSON.parse(stdout) as unknown)).toEqual([
      { id, status: 'waiting', digest },
      { id, status: 'waiting', digest },
    ]);
    await answer({ id, digest }, 'eu');
    const third = await run('bash', ['-c', line]);
    expect(JSON.parse(third.stdout)).toMatchObject({ id, status: 'answered', answer: 'eu' });
  },
);

test.skipIf(!has('curl') || !has('jq')).for([
  ['y', 0, 'approved'],
  ['n not today', 1, 'rejected'],
] as const)('the step of GitHub Actions ends with what a person says: %s', async ([given, status, word]) => {
  const { waiting, answer, run } = await office();
  const step = stepOf('GitHub Actions');
  expect(Object.keys(step.env)).toEqual(['ASK_URL', 'ASK_TOKEN', 'KEY']);
  const running = run('bash', ['-e', '-o', 'pipefail', '-c', step.run], GITHUB);
  await answer(await waiting(), given);
  const ended = await running;
  expect(ended.status).toBe(status);
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: word });
});

test.for([
  {
    asker: 'bash',
    needs: ['bash'],
    command: () => ['bash', '-c', block('A script on your machine', 'bash')],
    approved: { status: 0, stdout: 'approved\ndeployed\n' },
    again: { status: 2, stdout: '' },
  },
  {
    asker: 'Python',
    needs: ['python3'],
    command: () => ['python3', '-c', block('Python', 'python')],
    approved: { status: 0, stdout: expect.stringMatching(/^approved by ann\b.*\n$/u) },
    again: { status: 0, stdout: expect.stringMatching(/^used by ann\b.*\n$/u) },
  },
  {
    asker: 'a step of CI',
    needs: ['bash', 'curl', 'jq'],
    command: () => ['bash', '-e', '-o', 'pipefail', '-c', stepOf('GitHub Actions').run],
    approved: { status: 0, stdout: expect.stringContaining('"status": "approved"') },
    again: { status: 1, stdout: expect.stringContaining('"status": "used"') },
  },
])(
  'kill -9 of $asker and of the server between question and answer leaves one question, and one answer',
  async ({ needs, command, approved, again }, { skip }) => {
    const missing = needs.filter((program) => !has(program));
    skip(missing.length > 0, `not installed: ${missing.join(', ')}`);
    const { home, server, start, waiting, answer, begin, run } = await office();
    writeFileSync(join(home.work, 'hitl'), `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(home.work, 'deploy.sh'), '#!/bin/sh\necho deployed\n', { mode: 0o755 });
    const env = { ...GITHUB, PATH: `${home.work}:${home.env['PATH'] ?? ''}` };
    const [program = '', ...args] = command();

    const first = begin(program, args, env);
    const asked = await waiting();
    first.kill();
    expect(await first.ended).toMatchObject({ status: 137, stdout: '' });
    await server.kill();

    const second = await start();
    await answer(asked, 'y');
    await second.kill(); // nobody has heard it

    await start();
    expect(await run(program, args, env)).toMatchObject(approved);
    expect(await run(program, args, env)).toMatchObject(again);
    expect(home.ids()).toEqual([asked.id]);
    expect(home.events(asked.id).filter(({ type }) => type === 'interrupt-resolved')).toHaveLength(1);
  },
);
