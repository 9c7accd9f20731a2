import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { moduleClosure } from '../../src/files/index.js';
import { cpuTime } from '../helpers/cpu-time.js';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hitl-closure-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** What is trusted with a module, relative to its folder. */
function closureOf(name: string): readonly string[] {
  return moduleClosure(path.join(folder, name))
    .map((file) => path.relative(folder, file.path))
    .sort();
}

describe('what is trusted with a module', () => {
  test('is what it imports by path, in every way in which one imports, and what that imports', () => {
    write(
      'tools.ts',
      `import { a } from './a.js';
import type B from "./b";
import './c.mjs'
export * from './d/index.js';
const e = await import( /* later */ './e.cjs?x=1');
const f = require(\`../${path.basename(folder)}/f\`);
import g from './with%20space.mjs';
import h from '${path.join(folder, 'h.mjs')}';
import i from 'file://${path.join(folder, 'i.mjs')}';
import data from './data.json' with { type: 'json' };
import dir from './folder';`,
    );
    const names = ['b.mts', 'c.mjs', 'd/index.ts', 'e.cjs', 'f.js', 'with space.mjs', 'h.mjs', 'i.mjs'];
    for (const name of names) write(name, '');
    write('a.ts', "import './deep/one.mjs'; import './tools.js';");
    write('deep/one.mjs', "export * from '../deep/two.mjs'");
    write('deep/two.mjs', "import '.'");
    write('deep/index.mjs', '');
    write('data.json', '{"from": "./not-a-module.mjs"}');
    write('folder/index.js', '');
    write('not-a-module.mjs', '');
    write('unused.mjs', '');
    expect(closureOf('tools.ts')).toEqual(
      [
        ...names,
        ...[
          'a.ts',
          'data.json',
          'deep/index.mjs',
          'deep/one.mjs',
          'deep/two.mjs',
          'folder/index.js',
          'tools.ts',
        ],
      ].sort(),
    );
  });

  test('is read as JavaScript reads it: escapes, other names of `require`, quotes in a name', () => {
    write(
      'tools.mjs',
      String.raw`import { v } from './lib/re\x61l.mjs';
import './lib/\u0062.mjs'; import "\u{2e}/lib/c\
.mjs"; import "./lib/it's.mjs"; import './lib/it\'s too.mjs'; import '.\/lib/d.mjs'; import './lib/\145.mjs';
createRequire(import.meta.url)('./lib/f.cjs'); const need = require; need("./lib/g.cjs");
import '\u{ffffff}';`,
    );
    const names = [
      'real.mjs',
      'b.mjs',
      'c.mjs',
      "it's.mjs",
      "it's too.mjs",
      'd.mjs',
      'e.mjs',
      'f.cjs',
      'g.cjs',
    ];
    for (const name of names) write(`lib/${name}`, '');
    expect(closureOf('tools.mjs')).toEqual([...names.map((name) => `lib/${name}`), 'tools.mjs'].sort());
  });

  test('is what package.json calls a file of its own, under every condition', () => {
    write(
      'package.json',
      JSON.stringify({
        name: 'me',
        imports: {
          '#impl': { import: ['./lib/impl.mjs', './lib/impl2.mjs'], default: './lib/impl.cjs' },
          '#in/*.js': './lib/in/*.mjs',
          '#other': './lib/other.mjs',
          '#package': 'zod',
        },
        exports: { '.': './lib/main.mjs', './self': { node: { default: './lib/self.mjs' } } },
      }),
    );
    write(
      'src/tools.mjs',
      "import '#impl'; import '#in/x.js'; import 'me'; import 'me/self'; import '#package'",
    );
    const names = ['impl.mjs', 'impl2.mjs', 'impl.cjs', 'in/x.mjs', 'main.mjs', 'self.mjs'];
    for (const name of [...names, 'other.mjs']) write(`lib/${name}`, '');
    expect(closureOf('src/tools.mjs')).toEqual(
      [...names.map((name) => `lib/${name}`), 'src/tools.mjs'].sort(),
    );
    write('package.json', '{"imports": 1, "exports": "./lib/main.mjs", "name": "me"}');
    expect(closureOf('src/tools.mjs')).toEqual(['lib/main.mjs', 'src/tools.mjs']);
    write('package.json', '{');
    expect(closureOf('src/tools.mjs')).toEqual(['src/tools.mjs']);
  });

  test('is also what says which file of a folder is meant, and the file (G34)', () => {
    write('tools.cjs', "require('./lib/dir')");
    write('lib/dir/index.js', '');
    expect(closureOf('tools.cjs')).toEqual(['lib/dir/index.js', 'tools.cjs']);
    write('lib/dir/package.json', '{"main": "../../other"}');
    write('other/index.cjs', "require('./more.tsx')");
    write('other/more.tsx', '');
    expect(closureOf('tools.cjs')).toEqual(
      ['lib/dir/index.js', 'lib/dir/package.json', 'other/index.cjs', 'other/more.tsx', 'tools.cjs'].sort(),
    );
  });

  test('is also where a link leads, with what is imported from there (G34)', () => {
    write('tools.cjs', "require('./lib/w.cjs')");
    write('z/w.cjs', "require('./x')");
    write('z/x.js', '');
    mkdirSync(path.join(folder, 'lib'));
    symlinkSync('../z/w.cjs', path.join(folder, 'lib/w.cjs'));
    expect(closureOf('tools.cjs')).toEqual(['lib/w.cjs', 'tools.cjs', 'z/w.cjs', 'z/x.js']);
  });

  test('changes with the content of any of it', () => {
    write('tools.mjs', "import './helper.mjs'");
    write('helper.mjs', 'first');
    const before = moduleClosure(path.join(folder, 'tools.mjs'));
    write('helper.mjs', 'second');
    const after = moduleClosure(path.join(folder, 'tools.mjs'));
    expect(after.map(({ sha256 }, index) => sha256 === before[index]?.sha256)).toEqual([true, false]);
  });

  test('is nothing where there is no such module, and leaves out packages and what is not there', () => {
    expect(closureOf('none.mjs')).toEqual([]);
    write(
      'tools.mjs',
      "import 'zod'; import './none.mjs'; import '%'; import './%zz'; import 'file:///%00';",
    );
    expect(closureOf('tools.mjs')).toEqual(['tools.mjs']);
  });

  test('is refused where an import is a device, and where there are too many', () => {
    write('tools.mjs', "import './zero.mjs'");
    symlinkSync('/dev/zero', path.join(folder, 'zero.mjs'));
    expect(() => closureOf('tools.mjs')).toThrow('it is not a file');
    for (let index = 0; index < 501; index += 1)
      write(`m${index}.mjs`, `import './m${String(index + 1)}.mjs'`);
    expect(() => closureOf('m0.mjs')).toThrow('imports more than 500 files');
  });

  test('is the whole of an installed package, and its limit is 5,000 files', () => {
    for (let index = 0; index < 501; index += 1)
      write(`node_modules/server/m${index}.mjs`, `import './m${String(index + 1)}.mjs'`);
    expect(closureOf('node_modules/server/m0.mjs')).toHaveLength(501);
    write('node_modules/server/m501.mjs', "import '../../outside.mjs'");
    write('outside.mjs', '');
    expect(closureOf('node_modules/server/m0.mjs')).toHaveLength(503);
  });

  test('of this program as it was built is the file alone', () => {
    const file = fileURLToPath(new URL('../../dist/bin/hitl.js', import.meta.url));
    expect(moduleClosure(file).map(({ path: one }) => one)).toEqual([file]);
  });

  test('is found in linear time in a text that is made to take for ever', () => {
    const start = cpuTime();
    for (const bait of ['from', 'import(', 'from"./', "from'./from'./", 'import/*']) {
      write('bait.mjs', `${bait}${' '.repeat(1_000_000)}${bait.repeat(100_000)}`);
      expect(closureOf('bait.mjs')).toEqual(['bait.mjs']);
    }
    expect(cpuTime() - start).toBeLessThan(5_000);
  });
});
