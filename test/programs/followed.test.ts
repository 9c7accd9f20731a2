import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Unseen } from '../../src/programs/index.js';
import { absoluteWords, followed, startProgram } from '../../src/programs/index.js';

let root: string;
const at = (...names: readonly string[]): string => path.join(root, ...names);
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'hitl-followed-')));
  mkdirSync(at('pd'));
  writeFileSync(at('s.mjs'), "import './dep.mjs';\n");
  writeFileSync(at('dep.mjs'), '');
  writeFileSync(at('s.js'), "require('./dep.js');\n");
  writeFileSync(at('dep.js'), '');
  writeFileSync(at('made.mjs'), "await import('./lib/' + process.argv[2]);\n");
  writeFileSync(at('pd/package.json'), '{"main":"./m.js"}');
  writeFileSync(at('pd/m.js'), '');
  writeFileSync(at('run.sh'), '#!/bin/sh\nexec node ./s.js\n');
  writeFileSync(at('p.py'), 'import hlp\n');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

type Env = Readonly<Record<string, string>>;

/** What is looked at of a server of a project. */
function here(words: readonly string[], env: Env = {}): ReturnType<typeof followed> {
  return followed({ words: absoluteWords(words, root), env, stands: root, guarded: root });
}

/** What is looked at of a program of yours, which stands in a neutral folder. */
function elsewhere(words: readonly string[], env: Env = {}): ReturnType<typeof followed> {
  return followed({ words, env, guarded: root });
}

const names = ({ files }: ReturnType<typeof followed>): readonly string[] =>
  files.map((file) => path.relative(root, file.path)).sort();

describe('the words of a program that stands in a folder (H1)', () => {
  test.for([
    [
      ['node', 's.mjs'],
      ['dep.mjs', 's.mjs'],
    ],
    [
      ['node', 's'],
      ['dep.js', 's.js'],
    ],
    [
      ['node', './s'],
      ['dep.js', 's.js'],
    ],
    [['node', 'pd'], ['pd/m.js']],
    [
      ['node', '--no-warnings', '--import', './dep.mjs', './s.mjs', 'anything'],
      ['dep.mjs', 's.mjs'],
    ],
  ] as const)('%j lead to all that it loads', ([words, files]) => {
    const found = here(words);
    expect(names(found)).toEqual(files);
    expect(found.unseen).toBeUndefined();
  });

  test.for([
    ['sh', '-c', 'exec node ./s.js'],
    ['./run.sh'],
    ['sh', 'run.sh'],
    ['npm', 'start'],
    ['npx', '--no-install', 'x'],
    ['make'],
    ['python3', '-m', 'x'],
    ['python3', 'p.py'],
    ['node', '-e', 'require("./s.js")'],
    ['node', '--env-file=.env', 's.mjs'],
    ['node', '-r', 'package', 's.mjs'],
    ['node', '-r', './made', 's.mjs'],
    ['node', 'made.mjs'],
    ['node', 'not-there'],
    ['bun', 's.mjs'],
    ['env', 'node', 's.mjs'],
    ['any-program'],
  ])('%j lead to files at which nobody looked', (words) => {
    expect(here(words).unseen).toMatchObject({ folder: root });
  });

  test.for(['NODE_OPTIONS', 'PYTHONPATH', 'BASH_ENV', 'LD_PRELOAD', 'PERL5OPT', 'RUBYOPT', 'PATH'])(
    '%s makes them lead to others (H2)',
    (name) => {
      expect(here(['node', 's.mjs'], { [name]: 'x' }).unseen?.why).toContain(name);
    },
  );

  test('have with them the files that are values of variables (H2)', () => {
    const found = here(['node', 's.mjs'], { CONFIG: './p.py', LEVEL: 'debug' });
    expect(names(found)).toEqual(['dep.mjs', 'p.py', 's.mjs']);
    expect(found.unseen).toBeUndefined();
  });
});

describe('the words of a program that stands in a neutral folder (H1)', () => {
  test.for([
    [(): readonly string[] => ['npx', '-y', '@a/server-filesystem', root]],
    [(): readonly string[] => ['uvx', 'mcp-server-git', '--repository', root]],
    [(): readonly string[] => ['node', '/usr/lib/server.js', root]],
    [(): readonly string[] => ['notify-send', root]],
    [(): readonly string[] => ['sh', '-c', 'notify-send hello']],
    [(): readonly string[] => ['node', at('s.mjs')]],
  ] as const)('name the folder as data: case %#', ([words]) => {
    expect(elsewhere(words()).unseen).toBeUndefined();
  });

  test.for([
    [(): readonly string[] => [at('run.sh')]],
    [(): readonly string[] => ['sh', at('run.sh')]],
    [(): readonly string[] => ['sh', '-c', `cd ${root}; exec node s.js`]],
    [(): readonly string[] => ['sh', '-c', 'cd $HITL_FOLDER; ./run.sh']],
    [(): readonly string[] => ['npm', 'start', '--prefix', root]],
    [(): readonly string[] => ['npx', '--prefix', root, 'x']],
    [(): readonly string[] => ['make', '-C', root]],
    [(): readonly string[] => ['node', at('made.mjs')]],
    [(): readonly string[] => ['env', 'node', at('pd')]],
  ] as const)('lead into the folder: case %#', ([words]) => {
    expect(elsewhere(words()).unseen).toMatchObject({ folder: root });
  });

  test('are led there by a variable', () => {
    expect(elsewhere(['any'], { NODE_PATH: at('lib') }).unseen).toMatchObject({ folder: root });
    expect(elsewhere(['any'], { NODE_PATH: '/usr/lib' }).unseen).toBeUndefined();
  });
});

test('what loads files unseen does not start once something has run there (H1)', () => {
  const unseen: Unseen = { folder: root, why: 'nobody looked', mark: 'before', now: () => 'after' };
  expect(() => startProgram('notify', { program: '/bin/true', args: [], unseen })).toThrow(
    'since it was trusted, a tool has run in',
  );
});
