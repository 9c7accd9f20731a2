import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a command could reach if nothing kept it: files, servers and a process, all of them ours. */
export interface World extends AsyncDisposable {
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
  readonly sockets: {
    readonly outside: string;
    readonly temporary: string;
    readonly abstract: string;
    /** In the working directory, since before the command. */
    readonly here: string;
  };
  /** The folder of a program that binds `relative.socket`, and `late.socket` once the command made `go` in its own; empty without `withListener`. */
  readonly listener: string;
  /** Of shared memory, by its number for `shmget`; there is none without `withShared`. */
  readonly shared: number;
  /** A folder of the search path in the home directory. */
  readonly programs: string;
  /** A process of the person, with a secret in its environment. */
  readonly victim: ChildProcess;
  /** What reached one of the servers. */
  readonly heard: string[];
  /** Adds what only a command that writes nothing has to be kept from: keys, a pipe, a socket that is made a little later. */
  addForReading(): Promise<void>;
  /** Lets another user have all of it. */
  giveTo(user: number): void;
}

/** Files of the home directory in which programs keep keys and tokens: agents, clouds, hosts of code, shells. */
export const KEYS: readonly string[] = [
  ...['.claude/.credentials.json', '.claude.json', '.codex/auth.json', '.gemini/oauth_creds.json'],
  ...['.config/github-copilot/apps.json', '.config/opencode/auth.json', '.local/share/opencode/auth.json'],
  ...['.continue/config.json', '.aider.conf.yml', '.config/goose/secrets.yaml', '.qwen/oauth_creds.json'],
  ...[
    '.cursor/mcp.json',
    '.config/zed/settings.json',
    '.cache/huggingface/token',
    '.config/io.datasette.llm/keys.json',
  ],
  ...[
    '.ssh/id_ed25519',
    '.aws/credentials',
    '.config/gh/hosts.yml',
    '.config/hub',
    '.netrc',
    '.npmrc',
    '.pypirc',
  ],
  ...[
    '.config/sops/age/keys.txt',
    '.config/rclone/rclone.conf',
    '.config/doctl/config.yaml',
    '.s3cfg',
    '.boto',
  ],
  ...[
    '.fly/config.yml',
    '.oci/oci_api_key.pem',
    '.zshenv',
    '.mysql_history',
    '.local/share/atuin/key',
    '.gnupg/secring',
  ],
  ...['.kube/config', '.docker/config.json', '.cargo/credentials.toml', '.git-credentials', '.vault-token'],
];

/** Files of the working directory whose names say that they hold keys. */
const PROJECT_KEYS: readonly string[] = [
  ...['.env', '.npmrc', 'server.pem', 'deep/.env.local', 'deep/id_ed25519'],
];

/** Until a socket is made in the working directory: the command runs then. */
const LATE_MS = 500;

/** Listens where no table names the folder, and where nothing stood when a command began. */
const LISTENER = `const { createServer } = require('net');
const { existsSync } = require('fs');
const listen = (where, done) => createServer((socket) => { console.log('heard'); socket.end(); }).listen(where, done);
process.umask(0);
listen('relative.socket', () => {
  process.chdir(process.argv[1]);
  listen('here.socket', () => {
    process.chdir('/');
    console.log('listening');
  });
});
const folder = process.cwd();
const waiting = setInterval(() => {
  if (!existsSync(process.argv[1] + '/go')) return;
  clearInterval(waiting);
  listen(folder + '/late.socket', () => listen('\\0late' + folder.slice(-40), () => require('fs').writeFileSync(process.argv[1] + '/ready', '')));
}, 20);`;

/** Nothing where there is no perl: escapes that need it do nothing then. */
function perl(code: string): void {
  spawnSync('perl', ['-e', code], { stdio: 'ignore' });
}

/** What an attempt needs of a world beside what all have. */
export interface Wanted {
  /** The program of `World.listener`, which takes as long to start as all of the rest. Default: it is not there. */
  readonly withListener?: boolean;
  /** Whether something stands in shared memory. Default: not. */
  readonly withShared?: boolean;
}

/** Below a folder that no sandbox empties, so that what is outside can be seen. */
export async function createWorld({ withListener = false, withShared = false }: Wanted = {}): Promise<World> {
  const token = randomUUID();
  await mkdir('reports', { recursive: true });
  const base = await realpath(await mkdtemp(path.resolve('reports', 'sandbox-')));
  const at = (name: string) => path.join(base, name);
  await write(base, {
    'outside/precious': 'precious',
    'sibling/.env': `KEY=${token}`,
    'sibling/notes.txt': token,
    ...Object.fromEntries(KEYS.map((name) => [`home/${name}`, `key ${token}`])),
    'home/.bashrc': '# as it was',
    'home/.local/bin/tool': '#!/bin/sh\necho as it was\n',
    'home/.local/share/app/state': token,
    'state/sessions/s1/journal.jsonl': `journal ${token}`,
    'project/kept/state/trust.json': `trust ${token}`,
    'project/hitl.config.json': '{}',
    'project/tools/trusted.mjs': 'export {};',
    'project/AGENTS.md': 'as it was',
    'project/scripts/deep/notify.sh': 'as it was',
    'project/node_modules/hitl/dist/bin/hitl.js': 'as it was',
  });
  await symlink('../outside', at('project/link'));
  execFileSync('git', ['init', '--quiet', at('project')]);
  await cp(at('project/.git'), at('project/nested/.git'), { recursive: true });
  const heard: string[] = [];
  const sockets = {
    outside: at('outside/socket'),
    temporary: path.join(tmpdir(), `hitl-${token.slice(0, 8)}.socket`),
    abstract: `\0hitl-${token}`,
    here: 'here.socket',
  };
  const servers = [
    { port: 0, host: '127.0.0.1' },
    ...[sockets.outside, sockets.temporary, sockets.abstract].map((name) => ({ path: name })),
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
  let soon: NodeJS.Timeout | undefined;
  const added: (Socket | ReturnType<typeof createServer>)[] = [];
  const victim = spawn('sleep', ['1000'], { env: { SECRET: `secret ${token}` }, stdio: 'ignore' });
  await once(victim, 'spawn');
  const listener = withListener
    ? await listenBeside(at('listener'), at('project'), () => void heard.push('stream'))
    : undefined;
  const shared = parseInt(token.slice(0, 7), 16);
  if (withShared) perl(`$id = shmget(${shared}, 64, 01666); shmwrite($id, "shared ${token}", 0, 64)`);
  return {
    ...{ token, heard, sockets, victim, shared, listener: at('listener'), programs: at('home/.local/bin') },
    ...{ project: at('project'), outside: at('outside'), home: at('home'), state: at('state') },
    ports: { tcp: (servers[0]!.address() as { port: number }).port, udp: udp.address().port },
    async addForReading() {
      await write(base, {
        ...Object.fromEntries(PROJECT_KEYS.map((name) => [`project/${name}`, 'key-of-the-project'])),
        'home/.added/notes': 'added by the person',
      });
      await appendFile(
        at('project/nested/.git/config'),
        '[remote "origin"]\n\turl = https://ann:password-of-git@host/x\n',
      );
      execFileSync('mkfifo', ['-m', '666', at('project/named.pipe')]);
      const pipe = new Socket({
        fd: openSync(at('project/named.pipe'), constants.O_RDWR | constants.O_NONBLOCK),
        writable: false,
      });
      pipe.on('data', () => void heard.push('pipe'));
      const late = createServer((socket) => {
        heard.push('stream');
        socket.end();
      });
      soon = setTimeout(
        () => void late.listen({ path: at('project/late.socket'), writableAll: true }),
        LATE_MS,
      );
      added.push(pipe, late);
    },
    giveTo(user) {
      execFileSync('chown', ['-R', `${user}`, base, sockets.temporary]);
      execFileSync('chmod', ['-R', 'a+rX', base]);
      execFileSync('chmod', ['777', sockets.outside, sockets.temporary]);
    },
    async [Symbol.asyncDispose]() {
      victim.kill('SIGKILL');
      listener?.kill('SIGKILL');
      if (withShared) perl(`shmctl(shmget(${shared}, 64, 0), 0, 0)`);
      udp.close();
      clearTimeout(soon);
      for (const server of servers) server.close();
      for (const one of added)
        if ('destroy' in one) one.destroy();
        else one.close();
      for (const left of [base, `/dev/shm/${token}`]) await rm(left, { recursive: true, force: true });
    },
  };
}

/** Starts a program in a folder of its own, which binds sockets there and in the working directory. */
async function listenBeside(folder: string, project: string, onHeard: () => void): Promise<ChildProcess> {
  await mkdir(folder);
  const listener = spawn(process.execPath, ['-e', LISTENER, project], {
    ...{ cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  await new Promise<void>((resolve) => {
    listener.stdout.on('data', (text: Buffer) => {
      if (text.includes('listening')) resolve();
      if (text.includes('heard')) onHeard();
    });
  });
  return listener;
}

async function write(base: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(base, name)), { recursive: true });
    await writeFile(path.join(base, name), content);
  }
}

/** Numbers of the processes that have a text among their arguments and have not ended; `program` is how theirs was started. */
export async function processesNamed(text: string, program?: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => {
    const [first, ...args] = lines[index]!.split('\0');
    return args.includes(text) && (program === undefined || first === program);
  });
}
