import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { build } from 'esbuild';
import * as z from 'zod';

import type { PostgresStore } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgDriver } from '../../sessions/postgres/index.js';
import { defineTool, systemClock } from '../../src/index.js';
import { pg } from '../../tools/servers/server.mjs';

/** The time that a payment takes behind its effect: whoever is killed in it leaves a doubt. */
const PAYING_MS = 5;

/** A tool whose effects are lines of a file: what was done stays done, whoever dies. */
export function payTool(file: string) {
  return defineTool(
    {
      name: 'pay',
      description: 'Pays.',
      input: z.object({ n: z.number() }),
      needsApproval: true,
    },
    async ({ n }) => {
      appendFileSync(file, `${n}\n`);
      await passing(PAYING_MS);
      return `paid ${n}`;
    },
  );
}

/** The sessions of a database, as one process has them. */
export function storeAt(url: string): PostgresStore {
  return createPostgresStore({ connection: pgDriver(pg, url), clock: systemClock, random: randomBytes });
}

/** The worker as one file of JavaScript, so that one that is killed is soon followed by another. @returns its path */
export async function bundledWorker(): Promise<string> {
  const root = path.join(import.meta.dirname, '../..');
  const outfile = path.join(root, 'reports/fleet', `worker-${process.pid}.mjs`); // as deep as its source
  await build({
    entryPoints: [path.join(root, 'scripts/fleet/worker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    external: ['*/tools/servers/server.mjs'],
    logLevel: 'error',
  });
  return outfile;
}
