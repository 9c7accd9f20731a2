// Answers many questions twice at the same time while workers, lines and the server fail, and counts:
//   npm run fleet -- --questions 4000 --workers 4
//   npm run fleet -- --questions 400 --schedule kills
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { pgDriver } from '../../sessions/postgres/index.js';
import { pg, startServer } from '../../tools/servers/server.mjs';
import type { Fault } from './faults.js';
import { Fleet, SCHEDULES } from './faults.js';
import type { Facts } from './judging.js';
import { judged, unrested } from './judging.js';
import { bundledWorker, storeAt } from './parts.js';
import type { Asked } from './people.js';
import { all, answered, ask, AT_ONCE, PEOPLE, RETRY_MS } from './people.js';

/** A fleet that has all that it needs comes to rest within this time: the longest pause behind a failure is shorter. */
const PATIENCE_MS = 420_000;

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '4000' },
    workers: { type: 'string', default: '4' },
    /** One of them; default: the questions are shared out among all. */
    schedule: { type: 'string' },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** All questions of some sessions, answered by two people at the same time, while things happen. */
async function trial(name: string, faults: readonly Fault[], questions: number): Promise<Facts> {
  const server = await startServer();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'hitl-fleet-'));
  const effects = path.join(folder, 'effects');
  writeFileSync(effects, '');
  const sql = pgDriver(pg, server.url);
  const [ann, bob] = [storeAt(server.url), storeAt(server.url)];
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
    ...{ url: server.url, script, effects, faults },
    size: Number(values.workers),
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
  });
  clearInterval(progress);
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
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(script);
  return {
    violations: { unheard, stranded: left.length, ...facts.violations },
    others: { questions: work.length, ...fleet.happened, ...facts.others },
  };
}

const names = values.schedule === undefined ? Object.keys(SCHEDULES) : [values.schedule];
let violations = 0;
let stranded = 0;
for (const name of names) {
  const faults = SCHEDULES[name];
  if (faults === undefined)
    throw new Error(`no schedule ${name}; there are ${Object.keys(SCHEDULES).join(', ')}`);
  const from = performance.now();
  const { violations: wrong, others } = await trial(
    name,
    faults,
    Math.ceil(Number(values.questions) / names.length),
  );
  const took = ((performance.now() - from) / 1_000).toFixed(0);
  say(`${name}: ${JSON.stringify(others)} ${JSON.stringify(wrong)} ${took} s`);
  const { stranded: left = 0, ...rest } = wrong;
  stranded += left;
  violations += Object.values(rest).reduce((sum, count) => sum + count, 0);
}
say(`${violations} violations, ${stranded} stranded`);
process.exit(violations + stranded === 0 ? 0 : 1);
