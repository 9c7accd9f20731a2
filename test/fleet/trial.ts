// One trial of a fleet: people who answer, workers, and what happens to them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { pgDriver } from '../../sessions/postgres/index.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { pg } from '../../tools/servers/server.mjs';
import type { Fault } from './faults.js';
import { Fleet } from './faults.js';
import type { Facts } from './judging.js';
import { judged, unrested } from './judging.js';
import { bundledWorker, storeAt } from './parts.js';
import type { Asked } from './people.js';
import { all, answered, ask, AT_ONCE, PEOPLE, RETRY_MS } from './people.js';

/** A fleet that has all that it needs comes to rest within this time: the longest pause behind a failure is shorter. */
const PATIENCE_MS = 420_000;

interface Trial {
  readonly name: string;
  readonly faults: readonly Fault[];
  readonly questions: number;
  readonly server: TestServer;
  /** The address of the server, as people and workers have it. */
  readonly url: string;
  /** Workers at the same time. */
  readonly size: number;
  /** What happens once a third of the questions is answered. Default: nothing. */
  readonly midway?: () => Promise<void>;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** All questions of some sessions, answered by two people at the same time, while things happen. */
export async function trial(options: Trial): Promise<Facts> {
  const { name, faults, questions, server, url, size, midway = () => Promise.resolve() } = options;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'hitl-fleet-'));
  const effects = path.join(folder, 'effects');
  writeFileSync(effects, '');
  const sql = pgDriver(pg, server.url);
  const [ann, bob] = [storeAt(url), storeAt(url)];
  const asked: Asked[] = [];
  for (let made = 0; made < questions; made = asked.reduce((sum, one) => sum + one.questions.length, 0)) {
    const from = asked.length;
    await all(
      Array.from({ length: Math.min(AT_ONCE, questions - made) }, (_, index) => from + index),
      async (n) => void asked.push(await ask(ann, n, effects)),
    );
  }
  const script = await bundledWorker();
  const fleet = new Fleet({
    ...{ url, script, effects, faults, size },
    crash: () => server.crash(),
    restart: () => server.restart(),
  });
  await fleet.begin();
  const said = new Map<string, readonly string[]>();
  let unheard = 0;
  const work = asked.flatMap(({ id, questions: open }) => open.map((question) => ({ id, question })));
  const progress = setInterval(() => {
    say(`  ${name}: ${said.size} of ${work.length} answered, ${JSON.stringify(fleet.happened)}`);
  }, 30_000).unref();
  let happening: Promise<void> | undefined;
  await all(work, async ({ id, question }) => {
    const ends = await Promise.allSettled([
      answered(ann, id, question, 'ann'),
      answered(bob, id, question, 'bob'),
    ]);
    const used = ends.map((end) => (end.status === 'fulfilled' ? end.value : 'unheard'));
    if (used.includes('unheard')) unheard += 1;
    said.set(
      `${id} ${question.id}`,
      PEOPLE.filter((_person, index) => used[index] === 'used'),
    );
    if (said.size >= work.length / 3) happening ??= midway();
  });
  clearInterval(progress);
  await happening;
  await fleet.calm();

  const until = performance.now() + PATIENCE_MS;
  let left: readonly unknown[];
  do {
    await passing(RETRY_MS * 5);
    left = await unrested(sql);
  } while (left.length > 0 && performance.now() < until);
  const facts = await judged({ ann, asked, said, effects });
  await fleet.end();
  await ann.close();
  await bob.close();
  await sql.close();
  rmSync(folder, { recursive: true, force: true });
  rmSync(script);
  return {
    violations: { unheard, stranded: left.length, ...facts.violations },
    others: { questions: work.length, ...fleet.happened, ...facts.others },
  };
}
