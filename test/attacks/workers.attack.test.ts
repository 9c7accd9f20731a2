import { mkdirSync, symlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { isInstalled } from '../../scripts/tools.mjs';
import { attacks } from './attacks.js';
import { ledgerModule, ledgerOf, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, heldUnless, premise, skipped } from './verdict.js';
import type { RunOptions, World } from './world.js';

/** A session that somebody approved, in a folder of this machine: all that is left is somebody who goes on with it. */
async function approved(
  world: World,
  cwd: string,
  model: string,
  ...flags: readonly string[]
): Promise<string> {
  mkdirSync(cwd, { recursive: true });
  const asked = await world.run(['chat', '-m', model, '-p', 'go', ...flags], { cwd });
  premise(asked.status === 3, `nobody was asked: ${asked.stderr}`);
  const id = world.session;
  const yes = await world.approve(id);
  premise(yes.status === 0, `it was not approved: ${yes.stderr}`);
  return id;
}

interface Outsider {
  /** What a worker does with the session that must not be done. */
  readonly isDone: () => boolean;
  /** The words in which it says that it leaves it. */
  readonly says: string;
  /** How a worker is started that was given what the session names. */
  readonly given: readonly string[];
}

/** A worker leaves a session with one line, and the session waits for a worker that serves what it names. */
async function left(world: World, id: string, { isDone, says, given }: Outsider): Promise<Verdict> {
  const closed = world.start(['worker', '--trust']);
  const told = `${id} skipped: `;
  await Promise.race([closed.until(told), closed.until('rests')]).catch(() => undefined);
  closed.kill('SIGTERM');
  const { stderr } = await closed.ended;
  if (isDone()) return broken(`a worker of another folder did it: ${stderr}`);
  const lines = stderr.split('\n').filter((line) => line.includes(told));
  const open = world.start(['worker', '--trust', ...given]);
  await open.until('rests').catch(() => undefined);
  open.kill('SIGTERM');
  const other = await open.ended;
  return heldUnless(
    [
      ...(lines.length === 1 && lines[0]?.includes(says) === true ? [] : [`not told in one line: ${stderr}`]),
      ...(isDone() ? [] : [`it is lost for a worker that was given it: ${other.stdout}${other.stderr}`]),
    ],
    lines[0] ?? '',
  );
}

/** A command that leaves a file in the folder in which it runs. */
async function otherFolder(world: World, cwd: string): Promise<Verdict> {
  const model = world.calling('run_command', { writes: true, command: 'id > pwned.txt' });
  const id = await approved(world, cwd, model);
  return left(world, id, {
    isDone: () => world.exists('victim/pwned.txt'),
    says: 'its folder',
    given: ['--folder', world.path('victim')],
  });
}

/** A workflow that waits a second in another folder, whose module is then another one. */
async function tickElsewhere(
  world: World,
  options: RunOptions,
  later: (id: string, cwd: string) => readonly string[],
): Promise<Verdict> {
  const cwd = world.path('victim');
  const module = (begin: string): string =>
    world.write(
      'victim/night.mjs',
      `import { writeFileSync } from 'node:fs';
import { workflow } from 'hitl';
${begin}
export default workflow('night', async (ctx) => { await ctx.sleep('nap', '1s'); return 1; });
`,
    );
  module('');
  const run = await world.run(['run', 'night.mjs', '--trust', '-m', 'demo'], { ...options, cwd });
  premise(run.status === 3, `it does not wait: ${run.stderr}`);
  module(`writeFileSync(${JSON.stringify(world.path('pwned'))}, '');`);
  await sleep(1_200);
  const closed = await world.run(['tick', '--trust'], options);
  if (world.exists('pwned')) return broken(`a module of another folder was loaded: ${closed.stdout}`);
  const id = /\b01[0-9a-z]{14}\b/u.exec(`${closed.stdout}${closed.stderr}`)?.[0] ?? '';
  const open = await world.run(later(id, cwd), options);
  return heldUnless(
    world.exists('pwned') ? [] : [`it is lost for one that was given it: ${open.stdout}${open.stderr}`],
    `${closed.stdout}${closed.stderr}`.trim(),
  );
}

attacks('A worker goes on with what it was given, whatever a row of the store names', [
  {
    id: 'v2.F12a',
    tried: 'a session in another folder',
    run: (world) => otherFolder(world, world.path('victim')),
  },
  {
    id: 'v2.F12b',
    tried: 'a session in a link that leads out of the folder',
    run: async (world) => {
      mkdirSync(world.path('victim'));
      symlinkSync(world.path('victim'), `${world.project}/inside`);
      return otherFolder(world, `${world.project}/inside`);
    },
  },
  {
    id: 'v2.F12c',
    tried: 'a module of tools outside of the folder, with --trust',
    run: async (world) => {
      const module = ledgerModule(world, PAY, 'elsewhere/tools.mjs');
      const model = world.calling('pay', { to: 'Bob', amount: 5 });
      const id = await approved(world, world.project, model, '-t', module);
      return left(world, id, {
        isDone: () => ledgerOf(world).length > 0,
        says: 'tools.mjs',
        given: ['--folder', world.path('elsewhere')],
      });
    },
  },
  {
    id: 'v2.F12d',
    tried: 'a server that only the session names, with --trust',
    run: async (world) => {
      const file = world.write(
        'srv.mjs',
        `import fs from 'node:fs';
import readline from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const results = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'e', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'go', inputSchema: { type: 'object' } }] }),
  'tools/call': () => (fs.writeFileSync(${JSON.stringify(world.path('called'))}, ''), { content: [{ type: 'text', text: 'done' }] }),
};
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (results[method] !== undefined) send({ id, result: results[method]() });
  else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: 'no' } });
}
`,
      );
      const server = `${process.execPath} ${file}`;
      const id = await approved(world, world.project, world.calling('srv__go', {}), '--mcp', server);
      return left(world, id, {
        isDone: () => world.exists('called'),
        says: 'srv.mjs',
        given: ['--mcp', server],
      });
    },
  },
  {
    id: 'v2.F12e',
    tried: 'a file outside of the folder that a call is about',
    run: async (world) => {
      mkdirSync(world.path('victim'));
      const path = world.path('victim/notes.txt');
      const id = await approved(world, world.project, world.calling('write_file', { path, content: 'x' }));
      return left(world, id, {
        isDone: () => world.exists('victim/notes.txt'),
        says: 'notes.txt',
        given: ['--folder', world.path('victim')],
      });
    },
  },
  {
    id: 'v2.F12f',
    tried: '`hitl tick --trust`, and a session of one’s own in another folder whose module changed',
    run: (world) => tickElsewhere(world, {}, (id) => ['resume', id, '--trust', '-p']),
  },
  {
    id: 'v2.F12g',
    tried: '`hitl tick --trust`, and a row of a database that names another folder',
    limitMs: 120_000,
    run: async (world) => {
      if (!isInstalled()) return skipped('needs `npm run tools`');
      const { startServer } = await import('../../tools/servers/server.mjs');
      const server = await startServer();
      world.keep({ close: () => server.stop() });
      const options = { env: { HITL_STORE: server.url } };
      return tickElsewhere(world, options, (_id, cwd) => ['tick', '--trust', '--folder', cwd]);
    },
  },
]);
