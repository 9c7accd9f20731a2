// Removes one safety mechanism at a time from a copy of the project, and expects its tests to notice:
// node scripts/mutants/run.mjs [--head] [--only <text>[,<text>]] [--from <text>] [--resume]
import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

import { mutants } from './list.mjs';
import { mutated } from './mutant.mjs';
import { projectCopy } from './project-copy.mjs';
import { digestOf, Results, summary } from './results.mjs';
import { runTests } from './run-tests.mjs';

/** A machine may become this much slower between the run without a mutant and the one with it. */
const SLOWER = 10;
const LEAST_PATIENCE_MS = 120_000;
const HEALTHY_PATIENCE_MS = 1_800_000;

const root = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    head: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: '' },
    resume: { type: 'boolean', default: false },
  },
});

setPriority(constants.priority.PRIORITY_LOW);
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
const copy = projectCopy(root, values.head);
const saved = new Results(path.join(root, 'reports/mutants.jsonl'), { keep: values.resume });

const rows = chosen().map((mutant) => {
  const text = mutated(readFileSync(path.join(copy, mutant.file), 'utf8'), mutant.edits);
  const digest = text === undefined ? undefined : digestOf(copy, text, mutant.tests);
  return { mutant, text, digest, before: values.resume ? saved.killed(mutant, digest) : undefined };
});
const open = rows.filter(({ text, before }) => text !== undefined && before === undefined);
const healthy = await withoutMutant([...new Set(open.flatMap(({ mutant }) => mutant.tests))]);

const results = [];
for (const row of rows) {
  const result = row.before ?? (await judge(row));
  results.push(result);
  if (row.before === undefined) saved.add(result);
  const { name, verdict, by, seconds } = result;
  console.log(`${name} / ${verdict === 'killed' ? by : words(verdict, by)} / ${seconds} s`);
}
for (const { name, verdict, by } of results)
  if (verdict !== 'killed') console.log(`${words(verdict, by)}: ${name}`);
console.log(summary(results));
process.exitCode = results.length > 0 && results.every(({ verdict }) => verdict === 'killed') ? 0 : 1;

function chosen() {
  const begin = mutants.findIndex(({ name }) => name.includes(values.from));
  if (begin < 0) throw new Error(`no mutant has in its name: ${values.from}`);
  const texts = values.only.split(',');
  return mutants.slice(begin).filter(({ name }) => texts.some((text) => name.includes(text)));
}

/** Tests that fail as it is can show nothing. */
async function withoutMutant(files) {
  if (files.length === 0) return new Map();
  const started = performance.now();
  const { kind, failed, passed, milliseconds } = await runTests(copy, files, HEALTHY_PATIENCE_MS);
  if (kind !== 'passed' || passed === 0) {
    console.error(`without a mutant: ${failed ?? 'no test ran'}`);
    process.exit(2);
  }
  console.log(`without a mutant: ${passed} tests passed / ${secondsSince(started)} s`);
  return milliseconds;
}

async function judge({ mutant: { name, file, tests }, text, digest }) {
  const result = { name, digest };
  if (text === undefined)
    return { ...result, verdict: 'not applicable', by: `its text is gone from ${file}`, seconds: 0 };
  const target = path.join(copy, file);
  const original = readFileSync(target, 'utf8');
  const started = performance.now();
  writeFileSync(target, text);
  try {
    const { kind, failed } = await runTests(copy, tests, patienceFor(tests));
    return { ...result, ...verdictOf(kind, failed), seconds: secondsSince(started) };
  } finally {
    writeFileSync(target, original);
  }
}

function patienceFor(tests) {
  const took = tests.reduce((sum, test) => sum + (healthy.get(test) ?? 0), 0);
  return Math.max(LEAST_PATIENCE_MS, SLOWER * took);
}

/** A mutant that cannot even be loaded shows nothing about its tests. */
function verdictOf(kind, failed) {
  switch (kind) {
    case 'passed':
      return { verdict: 'survived' };
    case 'unread':
      return { verdict: 'not applicable', by: failed };
    case 'failed':
    case 'hung':
      return { verdict: 'killed', by: failed };
    default:
      throw new Error(kind);
  }
}

function words(verdict, by) {
  return by === undefined ? verdict.toUpperCase() : `${verdict.toUpperCase()}, ${by}`;
}

function secondsSince(started) {
  return Number(((performance.now() - started) / 1000).toFixed(1));
}
