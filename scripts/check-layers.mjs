// Checks the layer table on the tree at argv[2] (default: this project), and that every file was looked at:
// with a compiler it does not know, dependency-cruiser reports success on no modules at all.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { install } from './tools.mjs';

const { layers, onDemand, forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

install();
const { cruise, extractTSConfig } = await import('../tools/code/cruise.mjs');

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
  ...folderFaults(output.modules),
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

/**
 * What the rules of dependency-cruiser cannot say of the folders inside one layer: another folder is entered by its
 * `index.ts` where it has one, and no two folders need each other.
 */
function folderFaults(modules) {
  const edges = modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(({ dynamic }) => !dynamic)
      .map(({ resolved }) => ({ from: source, to: resolved, layer: layerOf(source) }))
      .filter(({ to, layer }) => layer !== undefined && layerOf(to) === layer)
      .map((edge) => ({
        ...edge,
        inside: folderOf(edge.from, edge.layer),
        into: folderOf(edge.to, edge.layer),
      }))
      .filter(({ inside, into }) => into !== undefined && inside !== into),
  );
  const needs = new Map();
  for (const { inside, into, layer } of edges) {
    if (inside === undefined) continue;
    const key = `${layer}/${inside}`;
    needs.set(key, (needs.get(key) ?? new Set()).add(`${layer}/${into}`));
  }
  return [
    ...edges.filter(passesTheDoor).map(({ from, to }) => `enter-by-door: ${from} -> ${to}`),
    ...edges
      .filter(
        ({ inside, into, layer }) =>
          inside !== undefined && leadsTo(needs, `${layer}/${into}`, `${layer}/${inside}`),
      )
      .map(
        ({ from, to, layer }) => `folder-circle: ${from} -> ${to} (two folders of ${layer} need each other)`,
      ),
  ];
}

function passesTheDoor({ into, to, layer }) {
  if (onDemand.includes(`${layer}/${into}`)) return false;
  return to !== `${layer}/${into}/index.ts` && existsSync(`${layer}/${into}/index.ts`);
}

function leadsTo(needs, from, to, seen = new Set()) {
  if (from === to) return true;
  seen.add(from);
  return [...(needs.get(from) ?? [])].some((next) => !seen.has(next) && leadsTo(needs, next, to, seen));
}

function layerOf(file) {
  return Object.keys(layers).find((layer) => file.startsWith(`${layer}/`));
}

/** The folder of the layer that holds the file; none for a file at the top of its layer. */
function folderOf(file, layer) {
  const [folder, ...rest] = file.slice(layer.length + 1).split('/');
  return rest.length === 0 ? undefined : folder;
}

function hasLayer(file) {
  return file === 'src/index.ts' || layerOf(file) !== undefined;
}

function describe({ rule, from, to, cycle }) {
  const target = cycle === undefined ? to : cycle.map((step) => step.name).join(' -> ');
  const reason = forbidden.find(({ name }) => name === rule.name)?.comment ?? '';
  return `${rule.name}: ${from}${target === from ? '' : ` -> ${target}`} (${reason})`;
}
