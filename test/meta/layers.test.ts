import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import { root } from './project.js';

/** A small tree that keeps every rule. */
const soundTree = {
  'src/index.ts': `export { step } from './engine/index.js';`,
  'src/core/index.ts': `export { one } from './one.js';`,
  'src/core/one.ts': `import type { z } from 'zod';\nexport const one: z.core.util.Primitive = 1;`,
  'src/core/told/schemas.ts': `import { z } from 'zod';\nexport const One = z.literal(1);`,
  'src/engine/index.ts': `export { step } from './step.js';`,
  'src/engine/step.ts': `import { one } from '../core/index.js';\nexport const step = one;`,
  'src/graph/index.ts': `export const read = () => import('./file/load.js');`,
  'src/graph/file/load.ts': `import 'yaml';\nimport 'zod';\nexport const load = 1;`,
  'src/human/index.ts': `export { default as chalk } from 'chalk';\nimport '../core/index.js';`,
  'sessions/index.ts': `import 'node:fs/promises';\nexport { One } from '../src/core/told/schemas.js';`,
  'commands/main.ts': `import 'commander';\nimport '../sessions/index.js';\nimport '../src/human/index.js';`,
  'bin/hitl.ts': `await import('../commands/main.js');\nexport {};`,
};

/** What is planted, where, and the rule that must name that file. */
const faults = [
  ['a terminal package in engine', 'src/engine/a.ts', `import 'chalk';`, 'package-chalk'],
  ['files in engine', 'src/engine/b.ts', `import 'node:fs';`, 'builtins-src-engine'],
  ['sessions in engine', 'src/engine/c.ts', `import '../../sessions/index.js';`, 'layer-src-engine'],
  ['a file inside another layer', 'src/engine/d.ts', `import '../core/one.js';`, 'enter-by-index'],
  ['a module of Node that core does not need', 'src/core/a.ts', `import 'node:os';`, 'builtins-src-core'],
  ['zod in core outside its schemas', 'src/core/b.ts', `import 'zod';`, 'no-packages-in-src-core'],
  ['the schemas in the rest of core', 'src/core/c.ts', `import './told/schemas.js';`, 'core-free-of-zod'],
  ['a file nobody imports', 'src/core/d.ts', `export const alone = 1;`, 'no-orphans'],
  ['engine in core', 'src/core/e.ts', `import '../engine/index.js';`, 'layer-src-core'],
  [
    'a room of the core that another may not know',
    'src/core/data/a.ts',
    `import '../told/words.js';`,
    'room-data',
  ],
  ['a cycle', 'src/core/f.ts', `import './g.js';`, 'no-cycles'],
  ['a prompt package in models', 'src/models/a.ts', `import '@inquirer/prompts';`, 'package-@inquirer/all'],
  ['the engine in an adapter', 'src/human/a.ts', `import '../engine/index.js';`, 'layer-src-human'],
  ['one adapter in another', 'src/models/b.ts', `import '../human/index.js';`, 'layer-src-models'],
  ['commander outside commands', 'src/human/b.ts', `import 'commander';`, 'package-commander'],
  ['a development dependency', 'src/human/c.ts', `import 'oxfmt';`, 'no-dev-dependencies'],
  ['a package nobody declared', 'src/human/d.ts', `import 'no-such-package';`, 'no-unresolved'],
  ['a graph file at once', 'src/graph/a.ts', `import './file/load.js';`, 'graph-files-on-demand'],
  ['yaml outside of graph files', 'src/graph/b.ts', `import 'yaml';`, 'package-yaml'],
  ['an adapter in the loop', 'src/repl/a.ts', `import '../human/index.js';`, 'layer-src-repl'],
  ['the public surface in a layer', 'src/repl/b.ts', `import '../index.js';`, 'top-index-is-for-users'],
  ['the network in sessions', 'sessions/a.ts', `import 'node:http';`, 'builtins-sessions'],
  ['commands in sessions', 'sessions/b.ts', `import '../commands/main.js';`, 'layer-sessions'],
  ['the inside of a layer in commands', 'commands/a.ts', `import '../src/core/one.js';`, 'enter-by-index'],
  ['a folder past its door', 'src/tools/a.ts', `import './within/two.js';`, 'enter-by-door'],
  ['a circle of folders', 'src/tools/within/two.ts', `import '../beside/index.js';`, 'folder-circle'],
  [
    'a program that a command starts itself',
    'commands/b.ts',
    `import 'node:child_process';`,
    'programs-start-in-one-place',
  ],
  ['a folder without a row', 'src/extra/a.ts', `import 'node:fs';`, 'no row in the layer table'],
] as const;

interface Outcome {
  readonly status: number;
  readonly faults: readonly string[];
}

async function check(folder: string): Promise<Outcome> {
  const script = path.join(root, 'scripts/check-layers.mjs');
  return new Promise((resolve) => {
    execFile(process.execPath, [script, folder], (error, _stdout, stderr) => {
      const lines = stderr.split('\n').filter((line) => line !== '');
      resolve({ status: error === null ? 0 : Number(error.code), faults: lines });
    });
  });
}

async function plant(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), `${text}\n`);
  }
}

describe.skipIf(!isInstalled())('the layer check (skipped without `npm run tools`)', () => {
  let folder: string;
  let empty: Outcome;
  let sound: Outcome;
  let faulty: Outcome;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'hitl-layers-'));
    await cp(path.join(root, 'tsconfig.json'), path.join(folder, 'tsconfig.json'));
    await cp(path.join(root, 'package.json'), path.join(folder, 'package.json'));
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    empty = await check(folder);
    await plant(folder, soundTree);
    sound = await check(folder);
    await plant(folder, {
      'src/core/g.ts': `import './f.js';`,
      'src/core/told/words.ts': `export const words = 1;`,
      'src/tools/index.ts': `import './within/index.js';\nimport './a.js';`,
      'src/tools/within/index.ts': `export const within = 1;`,
      'src/tools/beside/index.ts': `import './back.js';\nexport const beside = 1;`,
      'src/tools/beside/back.ts': `import '../within/index.js';\nexport const back = 1;`,
    });
    await plant(folder, Object.fromEntries(faults.map(([, file, text]) => [file, text])));
    faulty = await check(folder);
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test('refuses a tree without files', () => {
    expect(empty).toEqual({ status: 1, faults: ['no files found'] });
  });

  test('passes a tree that keeps the rules', () => {
    expect(sound).toEqual({ status: 0, faults: [] });
  });

  test.for(faults)('refuses %s', ([, file, , rule]) => {
    expect(faulty.status).toBe(1);
    expect(faulty.faults.filter((fault) => fault.startsWith(`${rule}: ${file}`))).toHaveLength(1);
  });

  test('names no file that keeps the rules', () => {
    const sources = faulty.faults.map((fault) => fault.split(': ')[1]?.split(' ')[0]);
    expect(sources.filter((source) => source !== undefined && source in soundTree)).toEqual([]);
  });
});
