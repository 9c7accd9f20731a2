import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import { root } from './project.js';

const SETTINGS = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8'));
const PLUGIN = join(root, 'tools/node_modules/oxlint-plugin-eslint/index.js');

/** Rules that a project breaks whose only file stands there. */
function brokenRules(file: string, code: string): string[] {
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
    write(file, code);
    const { stdout } = spawnSync(
      process.execPath,
      [join(root, 'scripts/tools.mjs'), 'oxlint', '--format', 'json', '.'],
      { cwd: folder, encoding: 'utf8' },
    );
    return JSON.parse(stdout).diagnostics.map(({ code: rule }: { code: string }) => rule);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(!isInstalled())('the lint rules', () => {
  test.for([
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
  ] as const)('refuse %s', ([, file, code, rule]) => {
    expect(brokenRules(file, code)).toContain(rule);
  });

  test.for([
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
  ] as const)('allow %s', ([, file, code]) => {
    expect(brokenRules(file, code)).toEqual([]);
  });
});

describe.skipIf(!isInstalled())('the lint rules that know types', () => {
  const faults = [
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

  test.for(faults)('refuse %s', ([, code, rule]) => {
    expect(brokenRules('bench/one.ts', code)).toContain(`typescript(${rule})`);
  });

  test('allow what is right', () => {
    const code = 'export const f = async (one: Promise<number>): Promise<number> => (await one) + 1;';
    expect(brokenRules('bench/one.ts', code)).toEqual([]);
  });
});
