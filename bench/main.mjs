// Measures the product against floors and, with --peers, against others. See bench/README.md.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import path from 'node:path';

import { Budget } from './harness/budget.mjs';
import { goalCount, goalTable } from './harness/goals.mjs';
import { HELP, readOptions } from './harness/options.mjs';
import { agents, bench, program } from './harness/places.mjs';
import { inRounds } from './harness/rounds.mjs';
import { plan as disk } from './sections/disk.mjs';
import { plan as engine } from './sections/engine.mjs';
import { plan as interrupts } from './sections/interrupts.mjs';
import { plan as parallel } from './sections/parallel.mjs';
import { plan as scale } from './sections/scale.mjs';
import { plan as scripts } from './sections/scripts.mjs';
import { plan as start } from './sections/start.mjs';
import { plan as streams } from './sections/streams.mjs';
import { plan as workflows } from './sections/workflows.mjs';

/** In order; `parts` is how much of the time a section gets. */
const sections = [
  { id: 'A', title: 'a turn with one tool call that returns at once', plan: engine, parts: 8 },
  { id: 'B', title: 'a question, its answer, on to the next question', plan: interrupts, parts: 8 },
  { id: 'C', title: 'disk', plan: disk, parts: 2 },
  {
    id: 'D',
    title: 'a reply from the socket to the whole message, and to the terminal',
    plan: streams,
    parts: 3,
  },
  { id: 'E', title: 'start', plan: start, parts: 4 },
  { id: 'E2', title: 'scripts, as whole processes', plan: scripts, parts: 3 },
  { id: 'F', title: 'eight tools of 100 ms in one turn', plan: parallel, parts: 1 },
  { id: 'G', title: 'scale', plan: scale, parts: 4 },
  { id: 'W', title: 'steps of a workflow, and its replay', plan: workflows, parts: 2 },
];

const options = readOptions(process.argv.slice(2));
const unknown = options.only?.filter((id) => !sections.some((section) => section.id === id)) ?? [];
if (options.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `no section ${unknown.join(', ')}\n\n${HELP}` : HELP);
  process.exit(unknown.length > 0 ? 2 : 0);
}
if (!existsSync(program)) {
  console.error('the product is not built; run: npm run build');
  process.exit(2);
}
if (options.peers) {
  install(bench, []);
  install(agents, ['--ignore-scripts']);
}

const machine = {
  date: new Date().toISOString().slice(0, 10),
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
};
const { date, cores, memoryGb, node, platform } = machine;
print(`${date}, ${cores} cores, ${memoryGb} GB, Node ${node.slice(1)}, ${platform}`);

const chosen = sections.filter(({ id }) => options.only?.includes(id) ?? true);
const budget = new Budget(options.budgetMs);
const report = { machine, sections: {} };
const goals = [];
for (const [index, { id, title, plan, parts }] of chosen.entries()) {
  const share = parts / chosen.slice(index).reduce((sum, section) => sum + section.parts, 0);
  const { measures, report: tell } = plan(options);
  const [load, begun] = [loadavg()[0], performance.now()];
  const say = (what) => options.quiet || process.stderr.write(`${id} ${what}\n`);
  const measured = await inRounds(measures, { ...options, budget: budget.part(share), say });
  const { text, goals: ownGoals } = tell(measured);
  const minutes = (performance.now() - begun) / 60_000;
  goals.push(...ownGoals.map((goal) => ({ section: id, ...goal })));
  report.sections[id] = { load, minutes, rounds: measured, goals: ownGoals, text };
  const how = `Rounds: ${measured.count}, minutes: ${minutes.toFixed(1)}, load before: ${load.toFixed(1)}`;
  print(`\n### ${id}: ${title}\n\n${how}\n\n${text}`);
  say(goalCount(ownGoals));
}
if (options.json) console.log(JSON.stringify(report, null, 2));
else print(`\n### Goals\n\n${goalTable(goals)}\n\n${goalCount(goals)}`);

function print(text) {
  if (!options.json) console.log(text);
}

/**
 * Not by `npm ci`: that refuses peers which ask for two majors of one package, and packages of platforms that a registry
 * may not have. What the lockfile names is taken from it.
 */
function install(folder, flags) {
  if (existsSync(path.join(folder, 'node_modules'))) return;
  execFileSync('npm', ['install', '--no-save', '--force', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
