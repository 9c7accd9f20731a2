// A server of Restate of its own for a test: on free loopback ports, in a temporary folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const require = createRequire(import.meta.url);

/** Starts a server, and waits until it answers. */
export async function startRestate() {
  const suffix = `${process.platform}-${process.arch}`;
  const main = require.resolve(`@restatedev/restate-server-${suffix}/package.json`);
  const program = path.join(path.dirname(main), 'bin/restate-server');
  const root = mkdtempSync(path.join(tmpdir(), 'hitl-restate-'));
  const [node, admin, ingress] = [await freePort(), await freePort(), await freePort()];
  const at = (port) => `127.0.0.1:${port}`;
  const log = openSync(path.join(root, 'log'), 'a');
  let child = await begin();

  async function begin() {
    const started = spawn(program, ['--node-name', 'one'], {
      stdio: ['ignore', log, log],
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        RESTATE_CLUSTER_NAME: 'test',
        RESTATE_BASE_DIR: path.join(root, 'data'),
        RESTATE_BIND_ADDRESS: at(node),
        RESTATE_ADMIN__BIND_ADDRESS: at(admin),
        RESTATE_INGRESS__BIND_ADDRESS: at(ingress),
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128MB',
        RESTATE_DISABLE_TELEMETRY: 'true',
      },
    });
    for (let tries = 0; tries < 300; tries += 1) {
      if (
        (await answers(`http://${at(admin)}/health`)) &&
        (await answers(`http://${at(ingress)}/restate/health`))
      )
        return started;
      if (started.exitCode !== null) throw new Error(`restate-server ended with status ${started.exitCode}`);
      await sleep(100);
    }
    started.kill('SIGKILL');
    throw new Error('restate-server does not answer');
  }

  async function end(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  return {
    admin: `http://${at(admin)}`,
    ingress: `http://${at(ingress)}`,
    /** Ends the server as a machine does that fails, and starts it again. */
    async crash() {
      await end('SIGKILL');
      child = await begin();
    },
    async stop() {
      await end('SIGKILL');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function answers(url) {
  return globalThis.fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** A port of this machine that nobody has now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
