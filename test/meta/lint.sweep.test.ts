import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ESLint } from 'eslint';
import { describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import { root } from './project.js';

const eslint = new ESLint({ cwd: root });

/** Rules that the text breaks if it stood in the file. */
async function brokenRules(filePath: string, code: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(code, { filePath });
  return result?.messages.map((message) => message.ruleId) ?? [];
}

describe('the lint rules', () => {
  test.for([
    ['the clock in core', 'src/core/data/json.ts', 'export const now = Date.now();', 'no-restricted-globals'],
    [
      'chance in core',
      'src/core/data/json.ts',
      'export const x = Math.random();',
      'no-restricted-properties',
    ],
    [
      'the process in core',
      'src/core/data/json.ts',
      'export const x = process.pid;',
      'no-restricted-globals',
    ],
    [
      'a timeout that may be collected',
      'commands/program/main.ts',
      'export const s = AbortSignal.any([AbortSignal.abort(), AbortSignal.timeout(5)]);',
      'no-restricted-syntax',
    ],
    [
      'a timeout of the machine below the commands',
      'src/models/registry.ts',
      'export const s = AbortSignal.timeout(5);',
      'no-restricted-properties',
    ],
    [
      'a stream of the process',
      'commands/program/main.ts',
      `process.stdout.write('x');`,
      'no-restricted-properties',
    ],
    [
      'rows whose parts no type follows, in a command',
      'commands/list.ts',
      `export { laidOut } from '../src/core/index.js';`,
      'no-restricted-imports',
    ],
    ['a cast', 'commands/program/main.ts', 'export const x = {} as { a: 1 };', 'no-restricted-syntax'],
    ['a default export', 'commands/program/main.ts', 'export default 1;', 'no-restricted-syntax'],
    [
      'a member that is private by a keyword',
      'commands/program/main.ts',
      'export class Counter { private count = 0; next(): number { return ++this.count; } }',
      'no-restricted-syntax',
    ],
    [
      'import() in core',
      'src/core/data/json.ts',
      `export const x = import('node:fs');`,
      'no-restricted-syntax',
    ],
    [
      'a bare module of Node',
      'commands/program/main.ts',
      `export { sep } from 'path';`,
      'no-restricted-imports',
    ],
    [
      '`using` in a loop',
      'commands/program/main.ts',
      `export function f(all: readonly Disposable[]): void { for (const one of all) { using held = one; held[Symbol.dispose](); } }`,
      'no-restricted-syntax',
    ],
    [
      '`await using` in a branch of a loop',
      'src/core/data/json.ts',
      `export async function f(one: AsyncDisposable): Promise<void> { while (1 < 2) { if (2 < 3) { await using held = one; await held[Symbol.asyncDispose](); } } }`,
      'no-restricted-syntax',
    ],
    ['the console', 'commands/program/main.ts', 'console.log(1);', 'no-console'],
  ] as const)('refuse %s', async ([, file, code, rule]) => {
    expect(await brokenRules(file, code)).toContain(rule);
  });

  test.for([
    ['the clock in commands', 'commands/program/main.ts', 'export const now = Date.now();\n'],
    ['as const', 'src/core/data/json.ts', `export const x = ['a'] as const;\n`],
    ['import() in commands', 'commands/program/main.ts', `export const x = import('node:fs');\n`],
    [
      '`using` in a function inside a loop',
      'commands/program/main.ts',
      `export function f(all: readonly Disposable[]): void {\n  for (const one of all)\n    [one].forEach((each) => {\n      using held = each;\n      held[Symbol.dispose]();\n    });\n}\n`,
    ],
    ['the cast that brands an id', 'src/core/data/ids.ts', `export const x = 'a' as string & { b: 1 };\n`],
  ] as const)('allow %s', async ([, file, code]) => {
    expect(await brokenRules(file, code)).toEqual([]);
  });
});

/** Rules that a project of one file breaks, by the linter that knows types. */
function brokenTypedRules(code: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'hitl-lint-'));
  try {
    const compilerOptions = { strict: true, noUncheckedIndexedAccess: true, target: 'ES2023', types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(join(folder, 'one.ts'), code);
    const args = ['oxlint', '-c', join(root, '.oxlintrc.json'), '--format', 'json', '.'];
    const { stdout } = spawnSync(process.execPath, [join(root, 'scripts/tools.mjs'), ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return JSON.parse(stdout).diagnostics.map(({ code: rule }: { code: string }) => rule);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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
    expect(brokenTypedRules(code)).toContain(`typescript(${rule})`);
  });

  test('allow what is right', () => {
    const code = 'export const f = async (one: Promise<number>): Promise<number> => (await one) + 1;';
    expect(brokenTypedRules(code)).toEqual([]);
  });
});
