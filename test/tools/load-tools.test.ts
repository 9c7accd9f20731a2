import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { HitlError } from '../../src/core/index.js';
import * as tools from '../../src/tools/index.js';
import { loadTools } from '../../src/tools/index.js';
import { runTool } from './run-tool.js';
import { tempFolders } from './temp-folder.js';

const folder = tempFolders();

async function load(files: Record<string, string>, module: string) {
  const home = await folder();
  await home.write({ 'package.json': '{ "type": "module" }', ...files });
  return loadTools(module, { cwd: home.path });
}

async function refused(files: Record<string, string>, module = './tools.ts'): Promise<HitlError> {
  const error = await load(files, module).then(
    () => undefined,
    (thrown: unknown) => thrown as HitlError,
  );
  expect(error).toMatchObject({ name: 'HitlError', code: 'BAD_TOOL_MODULE', detail: { module } });
  return error!;
}

const TYPED = `
import { defineTool } from 'hitl';
import * as z from 'zod';
interface Sum { total: number }
export const add = defineTool(
  { name: 'add', description: 'Adds.', input: z.object({ a: z.number(), b: z.number() }) },
  async ({ a, b }): Promise<Sum> => ({ total: a + b }),
);
`;

describe('a tool module', () => {
  test.for(['tools.ts', 'tools.mts'])(
    'may be TypeScript: %s, without hitl and zod installed',
    async (name) => {
      const [add] = await load({ [name]: TYPED }, name);
      expect(add).toMatchObject({ name: 'add', origin: `module ./${name}` });
      expect(await runTool(add!, { a: 1, b: 2 })).toEqual({ output: { total: 3 } });
      expect(await add!.parseInput({ a: 1 })).toEqual({
        ok: false,
        issues: ['b: expected number, received undefined'],
      });
    },
  );

  test.for(['tools.js', 'tools.mjs'])('may be JavaScript that imports hitl: %s', async (name) => {
    const source = `import { defineInterrupt } from 'hitl';
      export default defineInterrupt({ name: 'ask', description: 'Asks.' });`;
    expect(await load({ [name]: source }, name)).toMatchObject([{ name: 'ask', restartable: false }]);
  });

  test('may have tools as plain objects, without any import', async () => {
    const source = `export const add = {
      name: 'add', description: 'Adds.', effect: 'none',
      input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      execute: ({ a }) => a + 1,
    };`;
    const [add] = await load({ 'tools.js': source }, 'tools.js');
    expect(add).toMatchObject({ name: 'add', effect: 'none', origin: 'module ./tools.js' });
    expect(await runTool(add!, { a: 1 })).toEqual({ output: 2 });
  });

  test('may be CommonJS, and exports a tool once however often it names it', async () => {
    const source = `const add = { name: 'add', description: 'Adds.', execute: () => 1 };
      module.exports = { add, again: add };`;
    expect(await load({ 'tools.cjs': source }, 'tools.cjs')).toHaveLength(1);
  });

  test('may export an array, or a function that makes tools where it is told', async () => {
    const plain = (name: string) => `{ name: '${name}', description: 'd', execute: () => 1 }`;
    const source = `export const some = [${plain('a')}, ${plain('b')}];
      export default async ({ cwd }) => [{ ...${plain('c')}, description: cwd }];
      export const helper = () => { throw new Error('called'); };
      export const limit = 5; export const names = ['x'];`;
    const found = await load({ 'tools.ts': source }, 'tools.ts');
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(found).toHaveLength(3);
  });

  test('may be spread over files, which may import hitl too', async () => {
    const source = `import { part } from './part'; export default [part];`;
    const [add] = await load(
      { 'tools.ts': source, 'part.ts': TYPED.replace('export const add', 'export const part') },
      'tools.ts',
    );
    expect(add).toMatchObject({ name: 'add', origin: 'module ./tools.ts' });
  });

  test('gets the library that the caller offers', async () => {
    const home = await folder();
    await home.write({
      'tools.ts': `import { mark } from 'hitl'; export const t = { name: mark, description: 'd', execute: () => 1 };`,
    });
    const library = async () => ({ mark: 'marked' });
    expect(await loadTools('tools.ts', { cwd: home.path, library })).toMatchObject([{ name: 'marked' }]);
  });

  test('is recognised when another copy of the package made its tools', async () => {
    const home = await folder();
    await home.write({
      'node_modules/hitl/package.json': '{ "name": "hitl", "type": "module", "exports": "./index.js" }',
      'node_modules/hitl/index.js': `export const defineTool = (d, execute) => ({ ...d, inputSchema: { type: 'object' },
        effect: 'once', origin: 'library', restartable: true, parseInput: (value) => ({ ok: true, value }),
        parseOutput: (value) => ({ ok: true, value }), execute });`,
      'package.json': '{ "type": "module" }',
      'tools.js': `import { defineTool } from 'hitl'; export const a = defineTool({ name: 'a', description: 'd' }, async () => 'theirs');`,
    });
    const [a] = await loadTools('tools.js', { cwd: home.path });
    expect(a).toMatchObject({ name: 'a', origin: 'module ./tools.js' });
    expect(await runTool(a!, {})).toEqual({ output: 'theirs' });
  });

  test('names its code: the same in another folder, another one where something that it imports is (rivals 5)', async () => {
    const module = "import { says } from './says.ts';\n" + TYPED;
    const codeOf = async (says: string): Promise<string | undefined> => {
      const [add] = await load(
        { 'tools.ts': module, 'says.ts': `export const says = '${says}';` },
        'tools.ts',
      );
      return add?.code;
    };
    const [first, again, other] = [await codeOf('a'), await codeOf('a'), await codeOf('b')];
    expect(first).toMatch(/^module:[\da-f]{64}$/u);
    expect([again === first, other === first]).toEqual([true, false]);
  });

  test('that Node keeps loaded names the code that is loaded, whatever the file is by now', async () => {
    const home = await folder();
    const write = (says: string): Promise<void> =>
      home.write({
        'package.json': '{ "type": "module" }',
        'tools.js': `export const go = { name: 'go', description: 'd', execute: async () => '${says}' };`,
      });
    await write('first');
    const [before] = await loadTools('tools.js', { cwd: home.path });
    await write('second');
    const [after] = await loadTools('tools.js', { cwd: home.path });
    const said = [await runTool(before!, {}), await runTool(after!, {})];
    const isSame = JSON.stringify(said[0]) === JSON.stringify(said[1]);
    expect(after?.code === before?.code).toBe(isSame);
  });

  test('offers by default what it takes to define tools', () => {
    expect(Object.keys(tools)).toEqual(
      expect.arrayContaining(['defineTool', 'defineInterrupt', 'requireApproval', 'wrapTool']),
    );
  });
});

describe('a bad tool module is refused', () => {
  test('when it is not there, naming what is near', async () => {
    const error = await refused({ 'bank.ts': '' }, './bnak.ts');
    expect(error.message).toBe('cannot load tools from `./bnak.ts`: file not found');
    expect(error.hint).toBe('did you mean ./bank.ts?');
    const gone = await refused({}, './zzzzzzz/tools.ts');
    expect(gone.message).toMatch(
      /^cannot load tools from `\.\/zzzzzzz\/tools\.ts`: folder \S+\/zzzzzzz not found$/u,
    );
    expect(gone.hint).toBe('specify its new location: --tools <module>');
  });

  test('when it is a folder, or of another kind', async () => {
    const home = await folder();
    await mkdir(path.join(home.path, 'tools.ts'));
    await expect(loadTools('tools.ts', { cwd: home.path })).rejects.toThrow('it is not a file');
    expect(await refused({ 'tools.py': '' }, './tools.py')).toMatchObject({
      message: 'cannot load tools from `./tools.py`: `.py` files cannot hold tools',
      hint: 'use one of: .ts, .mts, .js, .mjs, .cjs',
    });
    expect((await refused({ tools: '' }, './tools')).message).toContain('its name has no extension');
  });

  test('when its syntax is wrong, naming the line', async () => {
    const name = 'tools.ts';
    const error = await refused({ [name]: 'export const a = 1;\nexport const b = ;\n' }, `./${name}`);
    expect(error.message).toBe(
      `cannot load tools from \`./${name}\`: syntax error on line 2: Unexpected token (column 17)`,
    );
  });

  test('when what it imports has wrong syntax, naming that file', async () => {
    const error = await refused({
      'tools.ts': 'import "./part.ts"; export const a = 1;',
      'part.ts': 'const = 1',
    });
    expect(error.message).toMatch(/syntax error on line 1 of .*part\.ts/);
  });

  test('when it throws, naming the line', async () => {
    const error = await refused({
      'tools.ts': 'interface A { a: 1 }\n\nthrow new TypeError("no key");\nexport const a = 1;',
    });
    expect(error.message).toBe(
      'cannot load tools from `./tools.ts`: it threw while loading (line 3): no key',
    );
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test('when it defines a tool wrongly, with the hint of that', async () => {
    const source = `import { defineTool } from 'hitl';\nexport const a = defineTool({ name: 'a b', description: 'd' });`;
    const error = await refused({ 'tools.ts': source });
    expect(error.message).toContain('it threw while loading (line 2): invalid tool name "a b"');
    expect(error.hint).toContain('a name is 1 to 64 letters');
  });

  test.for(['tools.ts', 'tools.js'])(
    'when a package or a file that it imports is missing: %s',
    async (name) => {
      expect(await refused({ [name]: 'import "@acme/left-pad/x";' }, `./${name}`)).toMatchObject({
        message: expect.stringContaining('it imports `@acme/left-pad') as string,
        hint: 'in the module’s folder: npm install @acme/left-pad',
      });
      const error = await refused({ [name]: 'import "./part.js";' }, `./${name}`);
      expect(error.message).toMatch(/it imports `.*part\.js`, which does not exist/);
    },
  );

  test('when it exports no tool', async () => {
    expect((await refused({ 'tools.ts': '' })).message).toContain('exports nothing');
    const error = await refused({ 'tools.ts': 'export const limit = 5; export function help() {}' });
    expect(error.message).toContain('it exports no tool, only');
    expect(error.hint).toContain('defineTool');
  });

  test.for([
    [
      `{ name: 'a', description: 'd', run: () => 1 }`,
      '`a` looks like a tool, but it has an unknown property `run`',
      'did you mean `execute`?',
    ],
    [
      `{ name: 'a', description: 'd', parameters: {}, execute() {} }`,
      'an unknown property `parameters`',
      'did you mean `input`?',
    ],
    [
      `{ name: 'a', description: 'd', efect: 'none', execute() {} }`,
      'an unknown property `efect`',
      'did you mean `effect`?',
    ],
    [`{ name: 'a', description: 'd' }`, 'it has no `execute` function', 'write execute(input, context)'],
    [`{ name: 'a', execute() {} }`, 'its name and description must be strings', ''],
    [`{ name: 'a', description: 'd', needsApproval: 'yes', execute() {} }`, '`needsApproval` must be', ''],
    [`{ name: 'a', description: 'd', effect: 'maybe', execute() {} }`, '`effect` must be', ''],
    [`{ name: 'a', description: 'd', timeoutMs: -1, execute() {} }`, '`timeoutMs` must be', ''],
    [
      `{ name: 'a', description: 'd', input: { type: 'objekt' }, execute() {} }`,
      'is not a usable JSON Schema',
      '',
    ],
  ])('when an export looks like a tool and is none: %s', async ([plain, what, hint]) => {
    const error = await refused({ 'tools.js': `export const a = ${plain!};` }, './tools.js');
    expect(error.message).toContain(what!);
    expect(error.hint ?? '').toContain(hint!);
  });

  test.for([
    ['export default [1]', 'item 1 of `default` is a number, not a tool'],
    ['export default () => 5', 'its exported function `default` returned a number'],
    ['export default () => {}', 'its exported function `default` returned undefined'],
    ['export default class Tools {}', 'export `default` is a class'],
    ['export const tools = async () => { throw new Error("no bank"); }', 'no bank'],
  ])('when it says %s', async ([source, what]) => {
    expect((await refused({ 'tools.ts': source! })).message).toContain(what!);
  });

  test('when two of its tools have one name', async () => {
    const plain = (name: string) => `{ name: '${name}', description: 'd', execute: () => 1 }`;
    const error = await refused(
      { 'tools.js': `export const a = ${plain('x/a')}; export const b = ${plain('a')};` },
      './tools.js',
    );
    expect(error.message).toContain('duplicate tool name `a`');
  });
});
