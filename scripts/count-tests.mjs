// Reads vitest's JSON report: node scripts/count-tests.mjs REPORT [--failed | --files | --skipped | --beside EARLIER]
// Prints `<passed> <failed>`, the titles of what failed, its files, or the files in which a test was skipped. With
// `--beside` what had passed in an earlier report is not counted again. A file that could not be loaded counts as one
// failure, and so does each test that never ended: vitest calls `pending` what was lost with its process.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [file, mode, earlier] = process.argv.slice(2);
const results = resultsOf(file);
const failed = results
  .map((result) => ({ ...result, tests: withStatus(result, 'failed', 'pending') }))
  .filter(({ status, tests }) => status === 'failed' || tests.length > 0);

switch (mode) {
  case '--files':
    for (const { name } of failed) console.log(name);
    break;
  case '--skipped':
    for (const result of results) if (withStatus(result, 'skipped').length > 0) console.log(result.name);
    break;
  case '--failed':
    for (const { name, tests } of failed) {
      if (tests.length === 0) console.log(`${name}: could not be loaded`);
      for (const { fullName } of tests) console.log(`${name}: ${fullName}`);
    }
    break;
  default: {
    const known = new Set(mode === '--beside' ? passedIn(resultsOf(earlier)) : []);
    const passed = passedIn(results).filter((title) => !known.has(title));
    const bad = failed.reduce((sum, { tests }) => sum + Math.max(tests.length, 1), 0);
    console.log(`${passed.length} ${bad}`);
  }
}

function resultsOf(report) {
  return JSON.parse(readFileSync(report, 'utf8')).testResults.map((result) => ({
    ...result,
    name: path.relative(process.cwd(), result.name),
  }));
}

function withStatus({ assertionResults }, ...statuses) {
  return assertionResults.filter(({ status }) => statuses.includes(status));
}

function passedIn(all) {
  return all.flatMap((result) =>
    withStatus(result, 'passed').map(({ fullName }) => `${result.name}: ${fullName}`),
  );
}
