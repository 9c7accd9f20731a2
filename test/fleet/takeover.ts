// The time after which the question about a payment stands whose worker was killed in it, by the built program:
//   npm run build && npm run fleet:takeover -- --times 10
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { on } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { Resolution, WaitingItem } from '../../src/core/index.js';
import { startServer } from '../../tools/servers/server.mjs';
import { storeAt } from './parts.js';

const MOST_MS = 2_000;
const LOOK_MS = 10;
const PATIENCE_MS = 60_000;

const root = path.join(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { times: { type: 'string', default: '10' } } });
const times = Number(values.times);
const home = mkdtempSync(path.join(os.tmpdir(), 'hitl-takeover-'));
const effects = path.join(home, 'effects');
const tools = path.join(home, 'tools.mjs');
const script = path.join(home, 'model.jsonl');
writeFileSync(effects, '');
writeFileSync(script, `${JSON.stringify({ tools: [{ name: 'pay', input: {} }] })}\n{"text":"Paid."}\n`);
writeFileSync(
  tools,
  `import { appendFileSync } from 'node:fs';
import { defineTool } from 'hitl';
const about = { name: 'pay', description: 'Pays.', needsApproval: true };
export default [defineTool(about, async () => {
  appendFileSync(${JSON.stringify(effects)}, process.pid + '\\n');
  await new Promise((resolve) => setTimeout(resolve, ${PATIENCE_MS}));
  return 'paid';
})];
`,
);

const server = await startServer();
const store = storeAt(server.url);
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  HITL_HOME: home,
  HITL_STORE: server.url,
  HITL_MODEL: `script:${script}`,
};

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function program(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [path.join(root, 'dist/bin/hitl.js'), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

const workers = new Map<number, ChildProcess>();

/** Begins a worker, and waits until it says that it looks. */
async function work(): Promise<void> {
  const worker = program(['worker', '--trust', '--folder', home]);
  workers.set(worker.pid ?? 0, worker);
  if (worker.stderr === null) return;
  let said = '';
  for await (const [chunk] of on(worker.stderr, 'data')) {
    said += String(chunk);
    if (said.includes('worker: ')) break;
  }
  worker.stderr.resume();
}

async function until<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
  const from = performance.now();
  while (performance.now() - from < PATIENCE_MS) {
    const found = await look();
    if (found !== undefined) return found;
    await passing(LOOK_MS);
  }
  throw new Error(`it never came: ${what}`);
}

const asked = (kind: WaitingItem['interrupt']['kind']): Promise<WaitingItem> =>
  until(kind, async () => {
    for await (const item of store.waiting({ kind })) return item;
    return undefined;
  });

async function answer(
  { session, interrupt: { id, digest } }: WaitingItem,
  resolution: Resolution,
): Promise<void> {
  const by = { type: 'person', name: 'ann', via: 'library' } as const;
  await store.post(session, { id, digest, resolution, by });
}

const paid = (): readonly string[] => readFileSync(effects, 'utf8').split('\n').filter(Boolean);

await Promise.all([work(), work()]);
const taken: number[] = [];
for (let time = 1; time <= times; time += 1) {
  program(['chat', '-p', 'pay', '--tools', tools, '--trust']);
  await answer(await asked('confirmation'), { action: 'restart' });
  const pid = await until('the payment', async () =>
    paid().length === time ? Number(paid().at(-1)) : undefined,
  );
  workers.get(pid)?.kill('SIGKILL');
  const from = performance.now();
  workers.delete(pid);
  const doubt = await asked('in-doubt');
  const ms = performance.now() - from;
  taken.push(ms);
  say(`  ${doubt.session}: killed in the payment, asked about by another worker after ${ms.toFixed(0)} ms`);
  await work();
  await answer(doubt, { action: 'respond', output: 'paid' });
  await until('its end', async () => {
    for await (const { id } of store.list({ status: 'done' })) if (id === doubt.session) return id;
    return undefined;
  });
}
const payments = paid().length;
for (const worker of workers.values()) worker.kill('SIGTERM');
const ends = await Promise.all(
  [...workers.values()].map(
    (worker) =>
      new Promise<number | null>((resolve) => {
        worker.once('exit', resolve);
      }),
  ),
);
await store.close();
await server.stop();
rmSync(home, { recursive: true, force: true });
taken.sort((one, other) => one - other);
const median = taken[Math.floor(taken.length / 2)] ?? 0;
const longest = taken.at(-1) ?? 0;
say(
  `takeover: ${times} workers killed in a payment, asked about after ${median.toFixed(0)} ms (median), ${longest.toFixed(0)} ms at most; ${payments} payments, ${taken.length} doubts; workers ended with ${ends.join(', ')}`,
);
process.exit(longest <= MOST_MS && payments === times && ends.every((status) => status === 143) ? 0 : 1);
