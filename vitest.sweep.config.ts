import { configDefaults, mergeConfig } from 'vitest/config';

import base from './vitest.config.js';

/** `npm run test:sweep`: tests that go through many cases with the built program, and take longer than a newcomer waits. */
const sweep = {
  test: {
    name: 'sweep',
    include: ['test/**/*.sweep.test.ts'],
    exclude: configDefaults.exclude,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    environment: 'node' as const,
  },
};

export default mergeConfig(
  { ...base, test: { ...base.test, projects: [], maxWorkers: 3 } }, // they wait more than they compute
  { test: { projects: [sweep] } },
);
