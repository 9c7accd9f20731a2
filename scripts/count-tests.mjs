// Prints `<passed> <failed>` from vitest's JSON report. A file that could not be loaded counts as one failure.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const unloaded = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
);
console.log(`${report.numPassedTests} ${report.numFailedTests + unloaded.length}`);
