// docs/walk.md and docs/walk-tool-call.md: each place that they name is called when a call runs.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** The places of a page, in its order, as `file · function`. */
function places(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/`([\w/-]+\.ts)` · `(\w+)`/gu)].map(
    ([, file = '', name = '']) => `${file} · ${name}`,
  );
}

/** Every function of the sources that a process has called, as the page names it. */
function called(folder: string): ReadonlySet<string> {
  const base = new URL('../..', import.meta.url).href;
  const names = readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage;
    return result.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName }) => `${url.replace(base, '')} · ${functionName.replace(/^#/u, '')}`),
    );
  });
  return new Set(names);
}

test('every place that docs/walk.md names is called when a person approves a transfer', async () => {
  using home = new Home();
  const coverage = join(home.path, 'coverage');
  const source = ['--import', import.meta.resolve('tsx'), join(root, 'bin/hitl.ts')];
  const env = { NODE_V8_COVERAGE: coverage, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') };
  using terminal = new Terminal(home, ['chat', 'Transfer 200 to ABC123'], env, source);
  await terminal.until('y approve');
  await terminal.press('y');
  await terminal.until('800');
  await terminal.press('\u0004');
  expect(await terminal.ended).toBe(0);
  expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 200 }]);

  const walked = places('docs/walk.md');
  expect(walked.length).toBeGreaterThanOrEqual(27);
  const seen = called(coverage);
  expect(walked.filter((place) => !seen.has(place))).toEqual([]);
});

test('every place that docs/walk-tool-call.md names is called when a tool runs that needs no approval', () => {
  using home = new Home();
  const coverage = join(home.path, 'coverage');
  const args = ['--import', import.meta.resolve('tsx'), join(root, 'bin/hitl.ts')];
  const say = ['chat', '--model', 'demo', '--print', 'Transfer 50 to ABC123'];
  const { status } = spawnSync(process.execPath, [...args, ...say], {
    env: {
      ...home.env,
      NODE_V8_COVERAGE: coverage,
      TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
    },
    input: '',
  });
  expect(status).toBe(0);
  expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 50 }]);

  const walked = places('docs/walk-tool-call.md');
  const files = new Set(walked.map((place) => place.split(' · ')[0]));
  expect(walked).toHaveLength(14);
  expect(files.size).toBe(8);
  const seen = called(coverage);
  expect(walked.filter((place) => !seen.has(place))).toEqual([]);
});
