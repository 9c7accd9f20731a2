import { configDefaults, mergeConfig } from 'vitest/config';

import base, { firstOf } from './vitest.config.js';

const shared = {
  restoreMocks: true,
  unstubEnvs: true,
  environment: 'node' as const,
  isolate: false, // what they import takes longer to load than many of them take to run
};

/** `npm run test:sweep`: tests that go through many cases with the built program, and take longer than a newcomer waits. */
const sweep = {
  test: {
    ...shared,
    name: 'sweep',
    include: ['test/**/*.sweep.test.ts'],
    exclude: configDefaults.exclude,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
};

/** `npm run attack`: every known attack on the built program. */
const attacks = {
  test: {
    ...shared,
    name: 'attacks',
    include: ['test/attacks/**/*.attack.test.ts'],
    globalSetup: ['test/attacks/program-copy.ts'],
    testTimeout: 120_000, // five rows run at a time, beside other work
  },
};

/** The files named by `WITH_TOOLS`, one per line: some of their tests are skipped where the tools are not installed. */
const FILES = (process.env['WITH_TOOLS'] ?? '').split('\n').filter(Boolean);
const withTools = {
  test: { ...shared, name: 'with-tools', include: FILES, testTimeout: 120_000, hookTimeout: 120_000 },
};

/** What takes longest, so that at the end nothing else waits for it. */
const LONGEST =
  /(?:attention|door-law|errors|escapes|flow-kills|hostile-repositories|kills|postgres-store|reading|readme|run-kills|typing-at-questions|walk)\.sweep|(?:bounds|rules|serve-identity|server-tools|start|wire-doors)\.attack/u;

export default mergeConfig(
  // They wait for timers and programs more than they compute.
  { ...base, test: { ...base.test, projects: [], maxWorkers: 4, sequence: { sequencer: firstOf(LONGEST) } } },
  { test: { projects: FILES.length > 0 ? [sweep, attacks, withTools] : [sweep, attacks] } },
);
