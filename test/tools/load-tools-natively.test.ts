import { execFileSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';

import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

import { tempFolders } from './temp-folder.js';

// Inside the test runner `import()` is the runner's. Here the loader is bundled as the program is, and runs in Node.

const root = path.resolve(import.meta.dirname, '../..');
const folder = tempFolders();

const RUNNER = `
import { loadTools } from './program/tools.mjs';
const results = {};
for (const name of process.argv.slice(2)) {
  try {
    const tools = await loadTools(name, { cwd: process.cwd() });
    results[name] = await Promise.all(tools.map(async (tool) => [tool.name, (await tool.parseInput({ n: 1 })).ok]));
  } catch (error) {
    results[name] = error.code + ': ' + error.message;
  }
}
console.log(JSON.stringify(results));
`;

async function loadNatively(
  files: Record<string, string>,
  beside = ['jiti', 'zod'],
): Promise<Record<string, unknown>> {
  const home = await folder();
  await build({
    entryPoints: { tools: path.join(root, 'src/tools/index.ts') },
    outdir: path.join(home.path, 'program'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
  });
  await mkdir(path.join(home.path, 'program/node_modules'));
  for (const name of beside)
    await symlink(path.join(root, 'node_modules', name), path.join(home.path, 'program/node_modules', name));
  await home.write({ 'package.json': '{ "type": "module" }', 'run.mjs': RUNNER, ...files });
  const argv = ['run.mjs', ...Object.keys(files)];
  const stdout = execFileSync(process.execPath, argv, { cwd: home.path, encoding: 'utf8' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const DEFINED = `import { defineTool } from 'hitl'; import * as z from 'zod';
export const a = defineTool({ name: 'a', description: 'd', input: z.object({ n: z.number() }) }, async () => 1);`;

describe('the bundled loader in Node', () => {
  test('loads every kind of module, and says what is wrong with the others', async () => {
    const results = await loadNatively({
      './plain.js': `export const a = { name: 'a', description: 'd', execute: () => 1 };`,
      './common.cjs': `module.exports = { a: { name: 'a', description: 'd', execute: () => 1 } };`,
      './defined.mjs': DEFINED,
      './typed.ts': `${DEFINED}\ninterface Unused { a: 1 }`,
      './syntax.js': 'export const a = 1;\nexport const b = ;\n',
      './throws.js': '\nthrow new Error("no key");',
      './package.js': 'import "left-pad";',
      './file.js': 'import "./nope.js";',
    });
    expect(results).toEqual({
      './plain.js': [['a', true]],
      './common.cjs': [['a', true]],
      './defined.mjs': [['a', true]],
      './typed.ts': [['a', true]],
      './syntax.js':
        'BAD_TOOL_MODULE: cannot load tools from `./syntax.js`: syntax error on line 2: Unexpected token (column 17)',
      './throws.js':
        'BAD_TOOL_MODULE: cannot load tools from `./throws.js`: it threw while loading (line 2): no key',
      './package.js':
        'BAD_TOOL_MODULE: cannot load tools from `./package.js`: it imports `left-pad`, which is not installed',
      './file.js': expect.stringMatching(/it imports `.*nope\.js`, which does not exist/) as string,
    });
  });

  test('needs zod beside the program for what imports it alone', async () => {
    const typed = `export const a = { name: 'a', description: 'd', execute: () => 1 as number };`;
    expect(await loadNatively({ './typed.ts': typed }, ['jiti'])).toEqual({ './typed.ts': [['a', true]] });
  });
});
