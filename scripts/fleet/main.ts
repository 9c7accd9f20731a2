// Answers many questions twice at the same time while workers, lines and the server fail, and counts:
//   npm run fleet -- --questions 4000 --workers 4
//   npm run fleet -- --questions 400 --schedule kills
import { parseArgs } from 'node:util';

import { startServer } from '../../tools/servers/server.mjs';
import { SCHEDULES } from './faults.js';
import { say, trial } from './trial.js';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '4000' },
    workers: { type: 'string', default: '4' },
    /** One of them; default: the questions are shared out among all. */
    schedule: { type: 'string' },
  },
});

const names = values.schedule === undefined ? Object.keys(SCHEDULES) : [values.schedule];
let violations = 0;
let stranded = 0;
for (const name of names) {
  const faults = SCHEDULES[name];
  if (faults === undefined)
    throw new Error(`no schedule ${name}; there are ${Object.keys(SCHEDULES).join(', ')}`);
  const from = performance.now();
  const server = await startServer();
  const { violations: wrong, others } = await trial({
    ...{ name, faults, server, url: server.url, size: Number(values.workers) },
    questions: Math.ceil(Number(values.questions) / names.length),
  });
  await server.stop();
  const took = ((performance.now() - from) / 1_000).toFixed(0);
  say(`${name}: ${JSON.stringify(others)} ${JSON.stringify(wrong)} ${took} s`);
  const { stranded: left = 0, ...rest } = wrong;
  stranded += left;
  violations += Object.values(rest).reduce((sum, count) => sum + count, 0);
}
say(`${violations} violations, ${stranded} stranded`);
process.exit(violations + stranded === 0 ? 0 : 1);
