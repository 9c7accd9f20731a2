// Measures the product against floors and, with --peers, against others. See docs/performance.md.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import path from 'node:path';

import { HELP, readOptions } from './harness/options.mjs';
import { bench, program } from './harness/places.mjs';
import { section as disk } from './sections/disk.mjs';
import { section as engine } from './sections/engine.mjs';
import { section as interrupts } from './sections/interrupts.mjs';
import { section as parallel } from './sections/parallel.mjs';
import { section as scale } from './sections/scale.mjs';
import { section as start } from './sections/start.mjs';
import { section as streams } from './sections/streams.mjs';

const sections = { A: engine, B: interrupts, C: disk, D: streams, E: start, F: parallel, G: scale };

const options = readOptions(process.argv.slice(2));
const unknown = options.only?.filter((id) => !(id in sections)) ?? [];
if (options.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `no section ${unknown.join(', ')}\n\n${HELP}` : HELP);
  process.exit(unknown.length > 0 ? 2 : 0);
}
if (!existsSync(program)) {
  console.error('the product is not built; run: npm run build');
  process.exit(2);
}
if (options.peers && !existsSync(path.join(bench, 'node_modules', 'genkit'))) {
  execFileSync('npm', ['ci'], { cwd: bench, stdio: ['ignore', 'inherit', 'inherit'] });
}

const machine = {
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  date: new Date().toISOString().slice(0, 10),
};
const say = options.quiet ? () => undefined : (text) => process.stderr.write(`${text}\n`);
const report = { machine, load: [], sections: {} };
print(
  `${machine.date}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node.slice(1)}, ${machine.platform}`,
);

let missed = 0;
for (const [id, section] of Object.entries(sections)) {
  if (options.only !== undefined && !options.only.includes(id)) continue;
  report.load.push(loadavg()[0]);
  const {
    rounds,
    text,
    goals = [],
  } = await section({
    ...options,
    say: (what) => say(`${id} ${what}`),
  });
  missed += goals.filter(({ met }) => met === false).length;
  report.sections[id] = { rounds, goals, text };
  print(
    [`\n## ${id}`, text, goals.map(({ line }) => line).join('\n')].filter((part) => part !== '').join('\n\n'),
  );
}
if (options.json) console.log(JSON.stringify(report, null, 2));
else
  print(
    `\n${missed === 0 ? 'No goal was missed.' : `${missed} goals were missed.`} Load before each section: ${report.load.map((load) => load.toFixed(1)).join(', ')}.`,
  );

function print(text) {
  if (!options.json) console.log(text);
}
