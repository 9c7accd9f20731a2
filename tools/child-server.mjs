// A server that a test starts, crashes and starts again: a child process on free loopback ports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ends a child at once where this process ends before it, in whatever way. */
export function endsWithUs(child) {
  const watcher = spawn('sh', ['-c', 'read -r _; kill -9 "$0"', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // what ends all of a terminal does not end it
  });
  watcher.unref();
  watcher.stdin.unref();
  child.once('exit', () => watcher.kill('SIGKILL'));
}

/**
 * Waits until a child that was started answers.
 * @returns whether it does; false where it ended first
 */
export async function answered(child, answers, name) {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await answers()) return true;
    if (child.exitCode !== null) return false;
    await sleep(100);
  }
  child.kill('SIGKILL');
  throw new Error(`${name} does not answer`);
}

/**
 * Holds the child that `begin` starts.
 * @param begin starts it, and gives it once it answers
 * @param root its folder, which goes with it
 */
export async function restartable(begin, root) {
  let child = await begin();

  async function end(signal) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async function restart(signal) {
    await end(signal);
    child = await begin();
  }

  return {
    restart,
    /** Ends the server as a machine does that fails, and starts it again. */
    crash: () => restart('SIGKILL'),
    async stop(signal = 'SIGKILL') {
      await end(signal);
      rmSync(root, { recursive: true, force: true });
    },
  };
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
