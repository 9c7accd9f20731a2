// Checks the layer table on the tree at argv[2] (default: this project), and that every file was looked at:
// with a compiler it does not know, dependency-cruiser reports success on no modules at all.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const { layers, forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

const root = path.resolve(process.argv[2] ?? new URL('..', import.meta.url).pathname);
process.chdir(root);

const rooms = ['src', 'sessions', 'commands', 'bin'].filter((room) => existsSync(room));
const files = (await Promise.all(rooms.map(sourceFiles))).flat();
if (files.length === 0) {
  console.error('no files found');
  process.exit(1);
}

const { output } = await cruise(
  rooms,
  { ...options, baseDir: root, ruleSet: { forbidden }, validate: true },
  {},
  { tsConfig: extractTSConfig(options.tsConfig.fileName) },
);

const cruised = new Set(output.modules.map((module) => module.source));
const faults = [
  ...output.summary.violations.map(describe),
  ...files.filter((file) => !cruised.has(file)).map((file) => `not looked at: ${file}`),
  ...files.filter((file) => !hasLayer(file)).map((file) => `no row in the layer table: ${file}`),
];

for (const fault of faults) console.error(fault);
console.log(
  `layers: ${files.length} files, ${output.summary.totalDependenciesCruised} imports, ${faults.length} faults`,
);
process.exitCode = faults.length === 0 ? 0 : 1;

async function sourceFiles(room) {
  const entries = await readdir(room, { recursive: true });
  return entries.filter((name) => name.endsWith('.ts')).map((name) => path.posix.join(room, name));
}

function hasLayer(file) {
  return file === 'src/index.ts' || Object.keys(layers).some((layer) => file.startsWith(`${layer}/`));
}

function describe({ rule, from, to, cycle }) {
  const target = cycle === undefined ? to : cycle.map((step) => step.name).join(' -> ');
  const reason = forbidden.find(({ name }) => name === rule.name)?.comment ?? '';
  return `${rule.name}: ${from}${target === from ? '' : ` -> ${target}`} (${reason})`;
}
