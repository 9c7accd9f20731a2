import { networkInterfaces } from 'node:os';

import { attacks } from './attacks.js';
import { Loopback, endReply, openReply, replyText, writeCall } from './servers.js';
import { ledgerModule, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise, skipped } from './verdict.js';
import type { RunOptions, World } from './world.js';

const KEY = 'sk-ant-api03-attack-key-that-nobody-may-see';
const MODEL = 'anthropic:claude-sonnet-4-5';

/** The journal and everything that was printed. */
async function kept(world: World, args: readonly string[], options: RunOptions): Promise<string> {
  const ran = await world.run(args, options);
  const id = world.session;
  premise(world.eventsOf(id, 'tool-settled').length > 0, `the tool did not run: ${ran.stderr}`);
  return ran.stdout + ran.stderr + world.read(`home/sessions/${id}/journal.jsonl`);
}

function shell(world: World, command: string): readonly string[] {
  const model = world.calling('run_command', { writes: true, command });
  return ['chat', '--model', model, '-p', 'go', '--yes', 'run_command', '-o', 'stream-json'];
}

function outsideAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flat();
  return all.find((entry) => entry?.internal === false && entry.family === 'IPv4')?.address;
}

async function redirected(world: World): Promise<Verdict> {
  const target = world.keep(
    await Loopback.start((_, response) => {
      response.writeHead(500).end();
    }),
  );
  const first = world.keep(
    await Loopback.start(({ url }, response) => {
      response.writeHead(307, { location: `${target.url}${url}` }).end();
    }),
  );
  const args = ['chat', '-m', MODEL, '--base-url', `${first.url}/`, '-p', 'hi'];
  const program = world.start(args, { input: '', env: { ANTHROPIC_API_KEY: KEY }, limitMs: 20_000 });
  while (!program.hasEnded && target.received.length === 0)
    await Promise.race([program.ended, program.until('\0', 200)]);
  program.kill('SIGKILL');
  premise(first.received.length > 0, 'the server was not asked');
  const keys = target.received.filter(({ headers }) => JSON.stringify(headers).includes(KEY));
  if (target.received.length === 0) return held('nothing reached the other host');
  return broken(`the other host was sent the conversation${keys.length > 0 ? ' and the key' : ''}`);
}

async function plainHttp(world: World): Promise<Verdict> {
  const address = outsideAddress();
  if (address === undefined) return skipped('this machine has no address but loopback');
  const server = world.keep(
    await Loopback.start((_, response) => {
      replyText(response, 'hi');
    }, '0.0.0.0'),
  );
  const url = `http://${address}:${String(server.port)}`;
  const args = ['chat', '-m', MODEL, '--base-url', url, '-p', 'hi'];
  const ran = await world.run(args, { env: { ANTHROPIC_API_KEY: KEY }, limitMs: 15_000 });
  const isSent = server.received.some(({ headers }) => JSON.stringify(headers).includes(KEY));
  return isSent
    ? broken(`the key went to ${url} unencrypted, and nobody was asked`)
    : held(`not sent; status ${String(ran.status)}`);
}

async function resumeElsewhere(world: World): Promise<Verdict> {
  const server = world.keep(
    await Loopback.start(({ body }, response) => {
      if (body.includes('tool_result')) {
        replyText(response, 'done');
        return;
      }
      openReply(response);
      writeCall(response, 0, { name: 'pay', input: { to: 'ann', amount: 1 } });
      endReply(response, { stopReason: 'tool_use' });
    }),
  );
  const module = ledgerModule(world, PAY);
  const env = { ANTHROPIC_API_KEY: KEY };
  await world.run(['chat', '-m', MODEL, '--base-url', server.url, '-t', module, '-p', 'go'], { env });
  const id = world.session;
  const before = server.received.length;
  premise(before > 0 && world.eventsOf(id, 'interrupt-raised').length > 0, 'no question came');
  await world.run(['answer', id, 'y', '--any'], { env });
  const resumed = await world.run(['resume', id, '-p'], { env, limitMs: 12_000 });
  const isSame = server.received.length > before;
  return isSame
    ? held('resume asked the same server')
    : broken(`resume asked another server than the session's; status ${String(resumed.status)}`);
}

const FORM = {
  question: 'Deploy?',
  fields: [
    { name: 'version', type: 'text' },
    { name: 'token', type: 'secret' },
  ],
};
const TOKEN = 's3cr3t-t0ken';

async function secretOfForm(world: World): Promise<Verdict> {
  const screen = world.terminal(['chat', '-m', world.calling('ask_user', FORM), 'go'], {
    cols: 100,
    rows: 40,
  });
  premise(await screen.until('version'), `no form: ${screen.shown}`);
  await screen.press('1', '\r');
  premise(await screen.until(/token/u), 'no second field');
  await screen.press(TOKEN.charAt(0));
  screen.write(TOKEN.slice(1));
  await screen.press('\r', '\r', 'y');
  await screen.until(/\n\s*ok/u, 4_000);
  const journal = world.read(`home/sessions/${world.session}/journal.jsonl`);
  premise(journal.includes('interrupt-resolved'), `the form was not answered: ${screen.visible.join('\n')}`);
  const objections = [
    ...(screen.output.includes(TOKEN) ? ['the secret is printed in clear'] : []),
    ...(journal.includes(TOKEN) ? ['the secret is in the journal'] : []),
  ];
  return heldUnless(objections, 'neither on the screen nor in the journal');
}

attacks('Keys and other secrets: who is sent them, where they are shown, and what is kept of them', [
  {
    id: 'H8',
    tried: 'a provider that redirects the request, with the key, to another host',
    run: redirected,
  },
  { id: 'L8', tried: 'a provider at http: that is not this machine is sent the key', run: plainHttp },
  {
    id: 'B4',
    tried: 'a session with a base URL is answered and resumed without naming it again',
    run: resumeElsewhere,
  },
  { id: 'B2a', tried: 'on a terminal, the secret field of a form', run: secretOfForm },
  {
    id: 'B2b',
    tried: 'the secret field of a form that a script answers: what the session keeps of it',
    run: async (world) => {
      const id = await world.chat(world.calling('ask_user', FORM));
      const answered = await world.run(['answer', id, `a {"version":"1","token":"${TOKEN}"}`]);
      if (answered.status !== 0) return held(`refused: ${answered.stderr}`);
      await world.run(['resume', id, '-p']);
      const shown = (await world.run(['show', id])).stdout + (await world.run(['why', id])).stdout;
      const files = ['journal.jsonl', 'transcript.json', 'inbox.jsonl'].filter((name) =>
        world.read(`home/sessions/${id}/${name}`).includes(TOKEN),
      );
      return heldUnless(
        [
          ...(files.length > 0 ? [`the value is in ${files.join(', ')}`] : []),
          ...(shown.includes(TOKEN) ? ['show or why print it'] : []),
        ],
        'kept nowhere, shown nowhere',
      );
    },
  },
  {
    id: 'M11',
    tried: 'a command that prints a key as it goes: progress lines in stream-json and on stderr',
    run: async (world) => {
      const secret = 'sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFF0123456789';
      const output = await kept(
        world,
        shell(world, `printf 'sk-ant-%s\\n' ${secret.slice(7)}; sleep 1; echo end`),
        {},
      );
      return output.includes(secret)
        ? broken('the key is in the output as it is')
        : held('masked everywhere');
    },
  },
  {
    id: 'M14',
    tried: 'an approved command reads the key from the environment of its parent, as base64',
    run: async (world) => {
      const command = `tr '\\0' '\\n' < /proc/$PPID/environ | grep ^ANTHROPIC_API_KEY | base64 -w0; echo .`;
      const output = await kept(world, shell(world, command), { env: { ANTHROPIC_API_KEY: KEY } });
      const stolen = Buffer.from(`ANTHROPIC_API_KEY=${KEY}`).toString('base64').slice(0, 40);
      return output.includes(stolen)
        ? broken('the model was given the key')
        : held('there was no key to read');
    },
  },
  {
    id: 'L1',
    tried: 'a command that prints the value of PGPASSWORD and of MYSQL_PWD',
    run: async (world) => {
      const env = { PGPASSWORD: 'zweiundvierzig-elefanten', MYSQL_PWD: 'siebzehn-nashoerner' };
      const output = await kept(
        world,
        shell(world, "printf 'zweiundvierzig-%s siebzehn-%s\\n' elefanten nashoerner"),
        { env },
      );
      const shown = Object.entries(env).filter(([, value]) => output.includes(value));
      return heldUnless(
        shown.map(([name]) => `${name} is shown as it is`),
        'both are masked',
      );
    },
  },
]);
