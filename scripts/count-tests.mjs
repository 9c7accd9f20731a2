// Reads vitest's JSON report: node scripts/count-tests.mjs REPORT [--failed | --files]
// Prints `<passed> <failed>`, the titles of what failed, or the files of it. A file that could not be loaded counts as
// one failure.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [file, mode] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8'));
const failed = report.testResults
  .map(({ name, status, assertionResults }) => ({
    name: path.relative(process.cwd(), name),
    status,
    tests: assertionResults.filter((test) => test.status === 'failed'),
  }))
  .filter(({ status, tests }) => status === 'failed' || tests.length > 0);

switch (mode) {
  case '--files':
    for (const { name } of failed) console.log(name);
    break;
  case '--failed':
    for (const { name, tests } of failed) {
      if (tests.length === 0) console.log(`${name}: could not be loaded`);
      for (const { fullName } of tests) console.log(`${name}: ${fullName}`);
    }
    break;
  default: {
    const unloaded = failed.filter(({ tests }) => tests.length === 0);
    console.log(`${report.numPassedTests} ${report.numFailedTests + unloaded.length}`);
  }
}
