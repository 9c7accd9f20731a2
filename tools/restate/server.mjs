// A server of Restate of its own, for a test or the bench: on free loopback ports, in a temporary folder.
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { answered, endsWithUs, freePort, restartable } from '../child-server.mjs';

export { freePort };

const require = createRequire(import.meta.url);

/** Starts a server with its data in a new folder below `parent`, and waits until it answers. */
export async function startRestate({ parent = tmpdir() } = {}) {
  const suffix = `${process.platform}-${process.arch}`;
  const main = require.resolve(`@restatedev/restate-server-${suffix}/package.json`);
  const program = path.join(path.dirname(main), 'bin/restate-server');
  const root = mkdtempSync(path.join(parent, 'hitl-restate-'));
  const [node, admin, ingress] = [await freePort(), await freePort(), await freePort()];
  const at = (port) => `127.0.0.1:${port}`;
  const log = openSync(path.join(root, 'log'), 'a');
  const isUp = async () =>
    (await answers(`http://${at(admin)}/health`)) && (await answers(`http://${at(ingress)}/restate/health`));

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
    endsWithUs(started);
    if (await answered(started, isUp, 'restate-server')) return started;
    throw new Error(`restate-server ended with status ${started.exitCode}`);
  }

  return {
    admin: `http://${at(admin)}`,
    ingress: `http://${at(ingress)}`,
    ...(await restartable(begin, root)),
  };
}

async function answers(url) {
  return globalThis.fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
