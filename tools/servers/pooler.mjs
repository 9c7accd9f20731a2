// A pgbouncer of its own before a server of PostgreSQL, for a test: on a free loopback port, in a temporary folder, as a
// user without rights. The program is that of PGBOUNCER, or that of the system: no package of npm has it.
import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { answered, endsWithUs, freePort, restartable } from '../child-server.mjs';

/** The user nobody: pgbouncer does not run as root. */
const NOBODY = 65534;
const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The program; `undefined` where it is not on this machine. */
export const pgbouncer = [
  process.env['PGBOUNCER'] ?? [],
  FOLDERS.map((folder) => path.join(folder, 'pgbouncer')),
]
  .flat()
  .find((file) => existsSync(file));

/**
 * Starts a pooler, and waits until it listens.
 * @param to the address of the server
 * @param mode how it lends the connections of the server: `session`, `transaction` or `statement`
 * @param size the connections of the server that it lends at most
 * @param inTurns whether it lends the one that was idle longest, and not the one that was idle last
 */
export async function startPooler({ to, mode, size = 20, inTurns = false }) {
  if (pgbouncer === undefined) throw new Error('pgbouncer is not on this machine');
  const root = mkdtempSync(path.join(tmpdir(), 'hitl-pooler-'));
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const server = new URL(to);
  const port = await freePort();
  const file = path.join(root, 'pgbouncer.ini');
  const log = path.join(root, 'log');
  writeFileSync(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 1000
server_round_robin = ${inTurns ? 1 : 0}
logfile = ${log}
`,
    { mode: 0o600 },
  );
  if (user.uid !== undefined) for (const one of [root, file]) chownSync(one, NOBODY, NOBODY);

  async function begin() {
    const started = spawn(pgbouncer, ['-q', file], { stdio: 'ignore', cwd: root, ...user });
    endsWithUs(started);
    if (await answered(started, () => listens(port), 'pgbouncer')) return started;
    throw new Error(`pgbouncer ended with status ${started.exitCode}; see ${log}`);
  }

  const { crash, restart, stop } = await restartable(begin, root);
  const url = new URL(to);
  url.port = String(port);
  return { url: url.href, crash, restart: () => restart('SIGTERM'), stop: () => stop('SIGTERM') };
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
