import { defineConfig } from 'vitest/config';

const reportFile = process.env['TEST_REPORT'];

/** `npm run attack`: every known attack on the built program. */
export default defineConfig({
  test: {
    name: 'attacks',
    include: ['test/attacks/**/*.attack.test.ts'],
    globalSetup: ['test/attacks/program-copy.ts'],
    environment: 'node',
    maxWorkers: 4, // they wait for timers and programs more than they compute
    maxConcurrency: 2,
    testTimeout: 60_000,
    reporters: reportFile === undefined ? ['default'] : ['default', ['json', { outputFile: reportFile }]],
  },
});
