import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import { root } from './project.js';

const SETTINGS = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8'));
const PLUGIN = join(root, 'tools/node_modules/oxlint-plugin-eslint/index.js');

/** A file with a fault, or without one. */
interface Planted {
  readonly file: string;
  readonly code: string;
}

/** Files that the settings name. All others get a name of their own in the same folder. */
const NAMED = ['src/core/data/ids.ts'];
const nameOf = (file: string, index: number): string =>
  NAMED.includes(file) ? file : file.replace(/\.ts$/u, `-${index}.ts`);

/** The rules that each file of a project breaks. */
function brokenRules(planted: readonly Planted[]): readonly (readonly string[])[] {
  const folder = mkdtempSync(join(tmpdir(), 'hitl-lint-'));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  try {
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      target: 'ES2023',
      lib: ['ES2023', 'ESNext.Disposable'],
      types: [],
    };
    write('tsconfig.json', JSON.stringify({ compilerOptions }));
    write(
      '.oxlintrc.json',
      JSON.stringify({ ...SETTINGS, jsPlugins: [{ name: 'eslint-js', specifier: PLUGIN }] }),
    );
    const names = planted.map(({ file }, index) => nameOf(file, index));
    for (const [index, { code }] of planted.entries()) write(names[index] ?? '', code);
    const { stdout } = spawnSync(
      process.execPath,
      [join(root, 'scripts/tools.mjs'), 'oxlint', '--format', 'json', '.'],
      { cwd: folder, encoding: 'utf8' },
    );
    const { diagnostics } = JSON.parse(stdout) as {
      readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
    };
    return names.map((name) =>
      diagnostics.filter(({ filename }) => filename === name).map(({ code }) => code),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(!isInstalled())('the lint rules', () => {
  const refused = [
    [
      'the clock in core',
      'src/core/data/json.ts',
      'export const now = Date.now();',
      'eslint(no-restricted-globals)',
    ],
    [
      'chance in core',
      'src/core/data/json.ts',
      'export const x = Math.random();',
      'eslint(no-restricted-properties)',
    ],
    [
      'the process in core',
      'src/core/data/json.ts',
      'export const x = process.pid;',
      'eslint(no-restricted-globals)',
    ],
    [
      'a timeout that may be collected',
      'commands/program/main.ts',
      'export const s = AbortSignal.any([AbortSignal.abort(), AbortSignal.timeout(5)]);',
      'eslint-js(no-restricted-syntax)',
    ],
    [
      'a timeout of the machine below the commands',
      'src/models/registry.ts',
      'export const s = AbortSignal.timeout(5);',
      'eslint(no-restricted-properties)',
    ],
    [
      'a stream of the process',
      'commands/program/main.ts',
      `process.stdout.write('x');`,
      'eslint(no-restricted-properties)',
    ],
    [
      'rows whose parts no type follows, in a command',
      'commands/list.ts',
      `export { laidOut } from '../src/core/index.js';`,
      'eslint(no-restricted-imports)',
    ],
    [
      'a cast',
      'commands/program/main.ts',
      'export const x = {} as { a: 1 };',
      'typescript(consistent-type-assertions)',
    ],
    ['a default export', 'commands/program/main.ts', 'export default 1;', 'import(no-default-export)'],
    [
      'a member that is private by a keyword',
      'commands/program/main.ts',
      'export class Counter { private count = 0; next(): number { return ++this.count; } }',
      'eslint-js(no-restricted-syntax)',
    ],
    [
      'import() in core',
      'src/core/data/json.ts',
      `export const x = import('node:fs');`,
      'eslint-js(no-restricted-syntax)',
    ],
    [
      'a bare module of Node',
      'commands/program/main.ts',
      `export { sep } from 'path';`,
      'unicorn(prefer-node-protocol)',
    ],
    [
      '`using` in a loop',
      'commands/program/main.ts',
      `export function f(all: readonly Disposable[]): void { for (const one of all) { using held = one; held[Symbol.dispose](); } }`,
      'eslint-js(no-restricted-syntax)',
    ],
    [
      '`await using` in a branch of a loop',
      'src/core/data/json.ts',
      `export async function f(one: AsyncDisposable): Promise<void> { while (1 < 2) { if (2 < 3) { await using held = one; await held[Symbol.asyncDispose](); } } }`,
      'eslint-js(no-restricted-syntax)',
    ],
    ['the console', 'commands/program/main.ts', 'console.log(1);', 'eslint(no-console)'],
  ] as const;
  const allowed = [
    ['the clock in commands', 'commands/program/main.ts', 'export const now = Date.now();\n'],
    ['as const', 'src/core/data/json.ts', `export const x = ['a'] as const;\n`],
    [
      'import() in commands',
      'commands/program/main.ts',
      'export const f = (one: string): Promise<unknown> => import(one);\n',
    ],
    [
      '`using` in a function inside a loop',
      'commands/program/main.ts',
      `export function f(all: readonly Disposable[]): void {\n  for (const one of all)\n    [one].forEach((each) => {\n      using held = each;\n      held[Symbol.dispose]();\n    });\n}\n`,
    ],
    ['the cast that brands an id', 'src/core/data/ids.ts', `export const x = 'a' as string & { b: 1 };\n`],
  ] as const;
  const ofTypes = [
    ['a floating promise', 'Promise.resolve(1);', 'no-floating-promises'],
    [
      'a union that is not switched on whole',
      `export function f(x: 'a' | 'b'): number { switch (x) { case 'a': return 1; } return 2; }`,
      'switch-exhaustiveness-check',
    ],
    [
      'an async callback that nothing waits for',
      'export const f = (all: number[]): void => { all.forEach(async (one) => { await Promise.resolve(one); }); };',
      'strict-void-return',
    ],
    [
      'a promise as a condition',
      'export const f = async (one: Promise<boolean>): Promise<number> => { await one; return one ? 1 : 2; };',
      'no-misused-promises',
    ],
    ['what is deprecated', `export const x = 'words'.substr(1);`, 'no-deprecated'],
    [
      'a condition that always holds',
      'export const f = (x: string[]): number => (x ? 1 : 2);',
      'no-unnecessary-condition',
    ],
    ['a wrong type', `export const x: number = 'words';`, 'TS2322'],
    [
      'a text of an object',
      'export const f = (x: object): string => `${x}`;',
      'restrict-template-expressions',
    ],
    [
      'what is thrown and is no error',
      `export const f = (): never => { throw 'words'; };`,
      'only-throw-error',
    ],
  ] as const;
  const right = 'export const f = async (one: Promise<number>): Promise<number> => (await one) + 1;';
  const typed = (code: string): Planted => ({ file: 'bench/one.ts', code });
  const rows = [
    ...refused.map(([what, file, code, rule]) => ({ what, rule, planted: { file, code } })),
    ...ofTypes.map(([what, code, rule]) => ({ what, rule: `typescript(${rule})`, planted: typed(code) })),
    ...allowed.map(([what, file, code]) => ({ what, rule: undefined, planted: { file, code } })),
    { what: 'what is right with types', rule: undefined, planted: typed(right) },
  ].map((row, index) => ({ ...row, index, does: row.rule === undefined ? 'allow' : 'refuse' }));
  let broken: ReturnType<typeof brokenRules> = [];
  beforeAll(() => {
    broken = brokenRules(rows.map(({ planted }) => planted));
  });

  test.for(rows)('$does $what', ({ index, rule }) => {
    if (rule === undefined) expect(broken[index]).toEqual([]);
    else expect(broken[index]).toContain(rule);
  });
});
