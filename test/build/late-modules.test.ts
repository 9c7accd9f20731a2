import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';

import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { lateModules } from '../../scripts/late-modules.mjs';

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  minifySyntax: true,
  external: [] as string[],
  define: {},
} as const;

describe('modules that run at their first use', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hitl-late-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  /** Bundles sources whose modules say in `ran` that they run, and runs `main.ts`. */
  async function bundled(sources: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), `ran(${JSON.stringify(name)});\n${text}`);
    }
    const late = await lateModules({ root, sources: Object.keys(sources), common });
    const { outputFiles } = await build({
      ...common,
      absWorkingDir: root,
      stdin: { contents: "module.exports = require('./main.ts');", resolveDir: root },
      plugins: [late.plugin],
      banner: { js: late.head },
      write: false,
    });
    const ran: string[] = [];
    const module = { exports: {} as { main: () => unknown } };
    const code = `(function (module, exports, require, ran) { ${outputFiles[0]?.text ?? ''}\n})`;
    const body = runInThisContext(code) as (...given: unknown[]) => void;
    body(module, module.exports, createRequire(import.meta.url), (name: string) => ran.push(name));
    return { main: module.exports.main, ran };
  }

  test('run when something of them is used, and no door on the way to them does', async () => {
    const { main, ran } = await bundled({
      'main.ts': `import { used } from './rooms/index.js'; import { Made } from './made.js';
        import path, { sep } from 'node:path'; import { unused } from './unused.js';
        export const main = (more = unused) => [used(), new Made(2).size, path.join('a', 'b'), sep, more === unused];`,
      'rooms/index.ts': `export { inner as used } from './deep/index.js'; export { other } from './other.js';`,
      'rooms/deep/index.ts': `export * from './inner.js'; export type { Only } from './only.js';`,
      'rooms/deep/inner.ts': `import { MORE } from '../../more.js';
        export const inner = () => ({ ...MORE, list: [...MORE.list] });`,
      'rooms/deep/only.ts': 'export type Only = string;',
      'rooms/other.ts': 'export const other = 1;',
      'more.ts': 'export const MORE = { list: [1, 2] };',
      'made.ts': `import { Base } from './base.js'; export class Made extends Base {}`,
      'base.ts': 'export class Base { constructor(readonly size: number) {} }',
      'unused.ts': 'export const unused = 3;',
    });
    expect(ran).toEqual(['main.ts']);
    expect(main()).toEqual([{ list: [1, 2] }, 2, join('a', 'b'), '/', true]);
    expect(ran.slice(1)).toEqual(['unused.ts', 'rooms/deep/inner.ts', 'more.ts', 'made.ts', 'base.ts']);
  });

  test('may import one another, may be imported on demand, and dispose of what they use', async () => {
    const { main, ran } = await bundled({
      'main.ts': `import { even } from './even.js';
        export const main = async () => {
          const ended: string[] = [];
          { using one = { [Symbol.dispose]: () => { ended.push('one'); } }; void one; }
          const { later } = await import('./later.js');
          return [even(4), even(3), ended, later];
        };`,
      'even.ts': `import { odd } from './odd.js'; export const even = (n: number): boolean => n === 0 || odd(n - 1);`,
      'odd.ts': `import { even } from './even.js'; export const odd = (n: number): boolean => n !== 0 && even(n - 1);`,
      'later.ts': `export const later = 'later';`,
    });
    expect(await main()).toEqual([true, false, ['one'], 'later']);
    expect(ran).toEqual(['main.ts', 'later.ts', 'even.ts', 'odd.ts']);
  });

  test('have a package under one name, also where a name of their own hides it', async () => {
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(root, 'node_modules'));
    const { main, ran } = await bundled({
      'main.ts': `import * as z from 'zod/mini';
        import { Command } from 'commander';
        const own = (z: { string: string }) => z.string;
        export const main = () =>
          [own({ string: 'own' }), z.safeParse(z.string(), 1).success, new Command('one').name()];`,
    });
    expect(ran).toEqual(['main.ts']);
    expect(main()).toEqual(['own', false, 'one']);
  });

  test.for([
    [
      'a name that is not there',
      `import { gone } from './other.js'; export const main = () => gone;`,
      'other.ts gives no gone',
    ],
    [
      'a module that only does something',
      `(globalThis as { did?: number }).did = 1;`,
      'gives nothing, and does something',
    ],
    [
      'a name of the builder’s own',
      `const import_x = 1; export const main = () => import_x;`,
      'has a name that esbuild gives',
    ],
  ] as const)('are not made of %s', async ([, text, why]) => {
    await expect(bundled({ 'main.ts': text, 'other.ts': 'export const other = 1;' })).rejects.toThrow(why);
  });
});
