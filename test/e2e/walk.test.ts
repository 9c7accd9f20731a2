// docs/walk.md: each place that it names is called when a person approves a call in a terminal.
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

/** The places of the page, in its order, as `file · function`. */
function places(): readonly string[] {
  const text = readFileSync(join(root, 'docs/walk.md'), 'utf8');
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

  const walked = places();
  expect(walked.length).toBeGreaterThanOrEqual(27);
  const seen = called(coverage);
  expect(walked.filter((place) => !seen.has(place))).toEqual([]);
});
