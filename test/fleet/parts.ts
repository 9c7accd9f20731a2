import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import type { Plugin } from 'esbuild';
import { build } from 'esbuild';
import * as z from 'zod';

import type { PostgresStore } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgDriver } from '../../sessions/postgres/index.js';
import type { Clock } from '../../src/core/index.js';
import { defineTool, systemClock, workflow } from '../../src/index.js';
import { pg } from '../../tools/servers/server.mjs';

/** The time that a payment takes behind its effect: whoever is killed in it leaves a doubt. */
const PAYING_MS = 5;

/**
 * What a session asks: one question, two at the same time, one of two people, or one for a tool that few have. `steps` is a
 * workflow as code, with one question in front of three steps.
 */
export type Kind = 'one' | 'two' | 'votes' | 'seldom' | 'steps';
export const KINDS: readonly Kind[] = ['one', 'two', 'votes', 'seldom', 'steps'];

/** The name of the tool that a chat of a kind calls. */
export const TOOL_OF: Readonly<Record<Exclude<Kind, 'steps'>, string>> = {
  one: 'pay',
  two: 'pay',
  votes: 'pay_together',
  seldom: 'pay_abroad',
};

/** The payments of one session, at most. The first of a session is so many times its own number. */
export const PAYMENTS = 3;

/** Tools whose effects are lines of a file: what was done stays done, whoever dies. */
export function payTools(file: string) {
  const pay = ({ n }: { readonly n: number }): Promise<string> => paid(file, n);
  const about = { description: 'Pays.', input: z.object({ n: z.number() }), needsApproval: true };
  return [
    defineTool({ ...about, name: 'pay' }, pay),
    defineTool({ ...about, name: 'pay_together', approvers: { need: 2 } }, pay),
    defineTool({ ...about, name: 'pay_abroad' }, pay),
  ];
}

/** A workflow that asks once, and makes all payments of its session: each a step, named by its number. */
export function payInSteps(file: string) {
  return workflow('pay_in_steps', { input: z.object({ n: z.number() }) }, async (ctx, { n }) => {
    await ctx.ask('agreed', { prompt: `Pay ${n}?`, schema: z.literal(true) });
    for (let number = n; number < n + PAYMENTS; number += 1)
      await ctx.step(`pay-${number}`, () => paid(file, number));
    return 'paid';
  });
}

async function paid(file: string, n: number): Promise<string> {
  appendFileSync(file, `${n}\n`);
  await passing(PAYING_MS);
  return `paid ${n}`;
}

/**
 * The sessions of a database, as one process has them whose clock is ahead by so much, or behind (less than 0).
 * HITL_STORE_LOCKS is the address for locks, as in the program.
 */
export function storeAt(url: string, aheadMs = 0): PostgresStore {
  const locks = process.env['HITL_STORE_LOCKS'];
  return createPostgresStore({
    connection: pgDriver(pg, url, locks === undefined ? {} : { locks }),
    clock: clockAhead(aheadMs),
    random: randomBytes,
  });
}

/** The clock of a machine that is ahead. */
export function clockAhead(ms: number): Clock {
  return { now: () => systemClock.now() + ms, sleep: (for_, signal) => systemClock.sleep(for_, signal) };
}

/** The worker as one file of JavaScript, so that one that is killed is soon followed by another. @returns its path */
export async function bundledWorker(): Promise<string> {
  return bundled('worker');
}

/**
 * A script of this folder as one file of JavaScript.
 * @param release the folder of a package that it is to use instead of the sources here: that of another release
 * @returns its path
 */
export async function bundled(name: string, release?: string): Promise<string> {
  const root = path.join(import.meta.dirname, '../..');
  const kind = release === undefined ? '' : '-of-another';
  const outfile = path.join(root, 'reports/fleet', `${name}${kind}-${process.pid}.mjs`); // as deep as its source
  await build({
    entryPoints: [path.join(root, `test/fleet/${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    external: ['*/tools/servers/server.mjs'],
    logLevel: 'error',
    plugins: release === undefined ? [] : [builtOf(release)],
  });
  return outfile;
}

/** Leads imports of the sources to what a package has of them. */
function builtOf(release: string): Plugin {
  return {
    name: 'release',
    setup(bundling) {
      bundling.onResolve({ filter: /^\.\.\/\.\.\/(?:src|sessions)\// }, ({ path: file }) => ({
        path: path.join(path.resolve(release), 'dist', file.slice('../../'.length)),
        external: true,
      }));
    },
  };
}
