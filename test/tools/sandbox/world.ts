import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a command could reach if nothing kept it: files, servers and a process, all of them ours. */
export interface World {
  /** Names the folders of this world, its processes and its secrets. */
  readonly token: string;
  /** The working directory: a repository, with the state of the program below it. */
  readonly project: string;
  /** Files of others, which everybody may read. */
  readonly outside: string;
  readonly home: string;
  /** What the program keeps. */
  readonly state: string;
  readonly ports: { readonly tcp: number; readonly udp: number };
  readonly sockets: { readonly outside: string; readonly temporary: string; readonly abstract: string };
  /** A process of the person, with a secret in its environment. */
  readonly victim: ChildProcess;
  /** What reached one of the servers. */
  readonly heard: string[];
  close(): Promise<void>;
}

/** Below a folder that no sandbox empties, so that what is outside can be seen. */
export async function createWorld(): Promise<World> {
  const token = randomUUID();
  await mkdir('reports', { recursive: true });
  const base = await realpath(await mkdtemp(path.resolve('reports', 'sandbox-')));
  const at = (name: string) => path.join(base, name);
  await write(base, {
    'outside/precious': 'precious',
    'home/.ssh/id_ed25519': `key ${token}`,
    'home/.aws/credentials': `key ${token}`,
    'state/sessions/s1/journal.jsonl': `journal ${token}`,
    'project/kept/state/trust.json': `trust ${token}`,
    'project/hitl.config.json': '{}',
    'project/tools/trusted.mjs': 'export {};',
  });
  await symlink('../outside', at('project/link'));
  execFileSync('git', ['init', '--quiet', at('project')]);
  const heard: string[] = [];
  const sockets = {
    outside: at('outside/socket'),
    temporary: path.join(tmpdir(), `hitl-${token.slice(0, 8)}.socket`),
    abstract: `\0hitl-${token}`,
  };
  const servers = [
    { port: 0, host: '127.0.0.1' },
    ...Object.values(sockets).map((name) => ({ path: name })),
  ].map((where) =>
    createServer((socket) => {
      heard.push('stream');
      socket.end();
    }).listen(where),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const udp = createSocket('udp4', () => {
    heard.push('datagram');
  }).bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const victim = spawn('sleep', ['1000'], { env: { SECRET: `secret ${token}` }, stdio: 'ignore' });
  await once(victim, 'spawn');
  return {
    ...{ token, heard, sockets, victim },
    ...{ project: at('project'), outside: at('outside'), home: at('home'), state: at('state') },
    ports: { tcp: (servers[0]!.address() as { port: number }).port, udp: udp.address().port },
    async close() {
      victim.kill('SIGKILL');
      udp.close();
      for (const server of servers) server.close();
      for (const left of [base, `/dev/shm/${token}`]) await rm(left, { recursive: true, force: true });
    },
  };
}

async function write(base: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(base, name)), { recursive: true });
    await writeFile(path.join(base, name), content);
  }
}

/** Numbers of the processes that have a text among their arguments and have not ended. */
export async function processesNamed(text: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => lines[index]!.split('\0').includes(text));
}
