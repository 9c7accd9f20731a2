import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Ran } from '../helpers/program.js';
import { Home, lines } from '../helpers/program.js';
import { scriptModel } from '../helpers/tool-module.js';

const TOKEN = 's3cr3t-t0ken/é';
/** How it may be repeated. */
const FORMS = [TOKEN, encodeURIComponent(TOKEN), Buffer.from(TOKEN).toString('base64').replace(/=+$/u, '')];

/** A tool that asks for a token in its body, and one with a token in its input; both tell what they were given. */
const moduleOf = (ledger: string): string => `
import { appendFileSync } from 'node:fs';
const token = { type: 'string', format: 'password', minLength: 4 };
function tell(name, given, context) {
  appendFileSync(${JSON.stringify(ledger)}, name + ' ' + [...given].reverse().join('') + '\\n');
  context.progress('with ' + given);
  if (process.env.DIES === '1') process.kill(process.pid, 'SIGKILL');
  return { echo: 'Bearer ' + given, base64: Buffer.from(given).toString('base64') };
}
export const login = {
  name: 'login', description: 'Logs in.', input: { type: 'object', properties: {} }, effect: 'none',
  resume: { type: 'object', properties: { token }, required: ['token'] },
  execute(_input, context) {
    if (context.resumed === undefined) context.interrupt({ question: 'Token?' });
    return tell('login', context.resumed.token, context);
  },
};
export const deploy = {
  name: 'deploy', description: 'Deploys.', effect: 'none', needsApproval: true,
  input: { type: 'object', properties: { version: { type: 'string' }, token }, required: ['version'] },
  execute(input, context) { return tell('deploy', input.token ?? '', context); },
};
`;

/** A home where a session waits for an answer about one call; the ledger lies outside of it. */
class Waiting implements Disposable {
  readonly home = new Home();
  readonly ledger = join(this.home.work, 'ledger');
  readonly #module = join(this.home.path, 'secret.mjs');
  readonly #temp = join(this.home.path, 'tmp');
  readonly #model: string;
  readonly ran: Ran[] = [];

  constructor(call: { readonly name: string; readonly input: object }) {
    mkdirSync(this.#temp);
    writeFileSync(this.#module, moduleOf(this.ledger));
    this.#model = scriptModel(this.home, [{ tools: [call] }, { text: 'done' }]);
  }

  async run(args: readonly string[], options: { readonly input?: string; readonly dies?: boolean } = {}) {
    const env = {
      TMPDIR: this.#temp,
      HITL_MODEL: this.#model,
      ...(options.dies === true && { DIES: '1' }),
    };
    const ran = await this.home.run(args, {
      env,
      ...(options.input !== undefined && { input: options.input }),
    });
    this.ran.push(ran);
    return ran;
  }

  start(): Promise<Ran> {
    return this.run(['chat', '-p', 'go', '--tools', this.#module]);
  }

  /** What the tools were given, as they say; a token backwards, so that it is not found here. */
  get given(): readonly string[] {
    return existsSync(this.ledger) ? readFileSync(this.ledger, 'utf8').trim().split('\n') : [];
  }

  /** Where the token is found: in a file below the home, or in what was printed. */
  found(except: readonly string[] = []): readonly string[] {
    const files = filesBelow(this.home.path).filter((file) => !except.includes(file));
    const texts = [
      ...files.map((file) => [file, readFileSync(file, 'utf8')] as const),
      ...this.ran.flatMap(({ stdout, stderr }) => [['stdout', stdout] as const, ['stderr', stderr] as const]),
    ];
    return texts.filter(([, text]) => FORMS.some((form) => text.includes(form))).map(([where]) => where);
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}

const BACKWARDS = Array.from(TOKEN).reverse().join('');
const FORM = { question: 'Deploy?', fields: [{ name: 'host' }, { name: 'token', type: 'secret' }] };

interface Asked {
  readonly what: string;
  readonly call: { readonly name: string; readonly input: object };
  readonly answer: object;
  readonly given: readonly string[];
}

const ASKED: readonly Asked[] = [
  {
    what: 'a form that the model asked',
    call: { name: 'ask_user', input: FORM },
    answer: { action: 'respond', output: { host: 'db', token: TOKEN } },
    given: [],
  },
  {
    what: 'a question of a tool',
    call: { name: 'login', input: {} },
    answer: { action: 'restart', metadata: { token: TOKEN } },
    given: [`login ${BACKWARDS}`],
  },
  {
    what: 'an edited input',
    call: { name: 'deploy', input: { version: '1' } },
    answer: { action: 'restart', input: { version: '2', token: TOKEN } },
    given: [`deploy ${BACKWARDS}`],
  },
];

describe('G38 a secret that answers', () => {
  test.for(ASKED)('$what by a line of stdin is in no file and no output', async ({ call, answer, given }) => {
    using waiting = new Waiting(call);
    expect((await waiting.start()).status).toBe(3);
    const { id } = waiting.home;
    const resume = ['resume', id, '-p', '-o', 'stream-json', '--trust', '--record-answers'];
    const file = join(waiting.home.path, 'answers.jsonl');
    const ended = await waiting.run([...resume, file], { input: lines(JSON.stringify(answer)) });
    expect({ status: ended.status, stderr: ended.stderr }).toMatchObject({ status: 0 });
    for (const args of [
      ['show', id],
      ['show', id, '--json'],
      ['why', id],
      ['export', id],
      ['audit', id],
    ])
      await waiting.run(args);
    expect(waiting.given).toEqual(given);
    expect(waiting.found()).toEqual([]);
  });

  test.for(ASKED)('$what by a file of answers is in that file alone', async ({ call, answer, given }) => {
    using waiting = new Waiting(call);
    await waiting.start();
    const file = join(waiting.home.path, 'answers.jsonl');
    writeFileSync(file, `${JSON.stringify({ match: { tool: call.name }, answer })}\n`);
    const ended = await waiting.run([
      'resume',
      waiting.home.id,
      '-p',
      '--json',
      '--trust',
      '--answers',
      file,
    ]);
    expect({ status: ended.status, stderr: ended.stderr }).toMatchObject({ status: 0 });
    expect(waiting.given).toEqual(given);
    expect(waiting.found([file])).toEqual([]);
  });

  test.for(ASKED.filter(({ call }) => call.name !== 'login'))(
    '$what from another process is refused',
    async ({ call, answer }) => {
      using waiting = new Waiting(call);
      await waiting.start();
      const refused = await waiting.run(['answer', waiting.home.id, JSON.stringify(answer), '--any']);
      expect(refused).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('`token` is a secret and cannot come from another process') as string,
      });
      expect(waiting.found()).toEqual([]);
    },
  );

  test.for(ASKED.slice(1))('$what is asked for again after kill -9', async ({ call, answer, given }) => {
    using waiting = new Waiting(call);
    await waiting.start();
    const resume = ['resume', waiting.home.id, '-p', '--trust'];
    const typed = { input: lines(JSON.stringify(answer)) };
    expect((await waiting.run(resume, { ...typed, dies: true })).status).toBe(137);
    const again = await waiting.run(resume);
    expect({ status: again.status, stderr: again.stderr }).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('was typed into a process that has ended') as string,
    });
    expect(waiting.given).toEqual(given);
    const ended = await waiting.run(resume, typed);
    expect({ ...ended, given: waiting.given }).toEqual({
      status: 0,
      stdout: ended.stdout,
      stderr: ended.stderr,
      given: [...given, ...given],
    });
    expect(waiting.found()).toEqual([]);
  });
});
