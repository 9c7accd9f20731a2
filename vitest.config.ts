import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

// Node 20 reads them at each start, longer than it takes to start: what the tests reach is this machine alone.
delete process.env['NODE_EXTRA_CA_CERTS'];

const timeoutMs = 120_000;

/** They run by `npm run test:sweep` and `npm run attack`. */
const SWEEPS = 'test/**/*.{sweep,attack}.test.ts';

const shared = { restoreMocks: true, unstubEnvs: true, environment: 'node' } as const;

/** Coverage floors are opt-in, so that a run of one file does not fail for all the others. */
const withCoverage = process.env['COVERAGE'] === '1';

/** Where the machine-readable report goes, for a script that counts tests. */
const reportFile = process.env['TEST_REPORT'];

const floors = {
  perFile: true,
  branches: 85,
  'src/core/**': { perFile: true, branches: 95 },
  'src/engine/**': { perFile: true, branches: 95 },
  'sessions/**': { perFile: true, branches: 95 },
};

/** They put other modules in the place of some, so each has its own. */
const REPLACING = ['test/tools/mcp/{changing-list,hostile}.test.ts', 'test/commands/quick-command.test.ts'];

/** They lock files and start programs: each is a fork, which takes longer the more memory the forking process has. */
const FORKING =
  /test\/(?:contracts|crash|files|library|programs|sessions|tools\/sandbox)\/|(?:own-words|release|run-command|served-questions|votes-files)\.test/u;

/** A sequencer that takes the files whose paths match first. */
export function firstOf(pattern: RegExp): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const isFirst = ({ moduleId }: TestSpecification): boolean => pattern.test(moduleId);
      const sorted = await super.sort(files);
      return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
    }
  };
}

function project(name: string, include: string[], exclude: string[] = []) {
  return {
    test: { ...shared, name, include, exclude, testTimeout: timeoutMs, hookTimeout: timeoutMs },
  };
}

/** Files of a project that share their modules: loading them anew for each file takes as long as running them. */
function sharing({ test }: ReturnType<typeof project>) {
  return { test: { ...test, isolate: false } };
}

/** Files that wait for programs, terminals and timers as much as they compute: after the others, more of them at once. */
function waiting({ test }: ReturnType<typeof sharing>) {
  return { test: { ...test, maxWorkers: 4, sequence: { groupOrder: 1 } } };
}

export default defineConfig({
  test: {
    experimental: { fsModuleCache: true }, // a module is transformed once for all projects, and for the next run
    maxWorkers: 3,
    sequence: { sequencer: firstOf(FORKING) },
    reporters: reportFile === undefined ? ['default'] : ['default', ['json', { outputFile: reportFile }]],
    projects: [
      sharing(project('unit', ['test/**/*.test.ts'], ['test/e2e/**', SWEEPS, ...REPLACING])),
      project('replacing', REPLACING),
      waiting(sharing(project('e2e', ['test/e2e/**/*.test.ts'], [SWEEPS]))),
    ],
    coverage: {
      provider: 'v8',
      enabled: withCoverage,
      include: ['src/**/*.ts', 'sessions/**/*.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      ...(withCoverage ? { thresholds: floors } : {}),
    },
  },
});
