import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { NotedFile } from '../../../src/core/index.js';
import { callFilter } from '../../../src/tools/sandbox/call-filter.js';
import { asked, builtin } from '../builtin/builtin.js';
import { runTool } from '../run-tool.js';
import { tempFolders } from '../temp-folder.js';
import { kinds } from './kinds.js';

const SLOW = { timeout: 30_000 };
const folder = tempFolders();
const holds = kinds[0]?.sandbox !== undefined && callFilter(process.arch) !== undefined;

/** A result of a command in a copy, without what is the same for all. */
interface Result {
  readonly exitCode: number | null;
  readonly output: string;
  readonly notes?: readonly string[];
  readonly changed?: readonly object[];
  readonly heldBack?: readonly { readonly path: string; readonly why: string }[];
}

async function world(files: Readonly<Record<string, string>> = {}) {
  const home = await folder();
  await home.write({ 'notes.txt': 'one\ntwo\n', 'src/a.js': 'a\n', ...files });
  const noted: NotedFile[] = [];
  const tool = builtin('run_command', home.path, {
    env: { PATH: '/usr/bin:/bin' },
    sandbox: { mode: 'auto' },
    copies: { isOn: () => true, whyNot: () => undefined },
  });
  const noteFile = async (file: NotedFile): Promise<boolean> => {
    noted.push(file);
    return true;
  };
  return {
    ...{ tool, noted, cwd: home.path },
    at: (name: string) => path.join(home.path, name),
    read: (name: string) => readFileSync(path.join(home.path, name), 'utf8'),
    async run(command: string, given: object = {}): Promise<Result> {
      const input = { command, writes: true, ...given };
      const shown = JSON.parse(JSON.stringify(await asked(tool, input))) as never;
      const ran = await runTool(tool, input, { approved: { shown, edited: false }, noteFile });
      if (!('output' in ran)) throw new Error(JSON.stringify(ran));
      return ran.output as Result;
    },
  };
}

describe.skipIf(!holds)('a command in a copy of the folder', SLOW, () => {
  test('brings back what it changed, made and deleted, after each was kept', async () => {
    const { run, read, at, noted } = await world({ 'old/gone.txt': 'x\n' });
    const result = await run(
      'sed -i s/two/2/ notes.txt && mkdir -p b/c && echo new > b/c/d.txt && rm -r old',
    );
    expect(result).toEqual({
      exitCode: 0,
      signal: null,
      output: '',
      notes: ['3 files changed, +2 −2'],
      changed: [
        { path: 'old/gone.txt', change: 'deleted', added: 0, removed: 1 },
        { path: 'b/c/d.txt', change: 'made', added: 1, removed: 0 },
        { path: 'notes.txt', change: 'changed', added: 1, removed: 1 },
      ],
    });
    expect([read('notes.txt'), read('b/c/d.txt'), existsSync(at('old'))]).toEqual([
      'one\n2\n',
      'new\n',
      false,
    ]);
    expect(
      noted.map((file) => ({
        ...file,
        before: typeof file.before === 'string' ? file.before : Buffer.from(file.before.bytes).toString(),
        after: file.after?.toString(),
      })),
    ).toEqual([
      { path: at('old/gone.txt'), before: 'x\n', after: undefined, undoable: true },
      { path: at('b/c/d.txt'), before: 'absent', after: 'new\n', undoable: true },
      { path: at('notes.txt'), before: 'one\ntwo\n', after: 'one\n2\n', undoable: true },
    ]);
  });

  test('says where it runs, and its effect', async () => {
    const { tool, cwd } = await world();
    const input = { command: 'ls | wc -l', writes: true };
    expect(await asked(tool, input)).toMatchObject({
      facts: { 'working directory': cwd, sandbox: 'can write in a copy of this folder, no network' },
    });
    expect((await asked(tool, input))?.warnings).toBeUndefined();
    const parsed = await tool.parseInput(input);
    const { signal } = new AbortController();
    expect(parsed.ok && (await tool.effectOf?.(parsed.value, signal))).toBe('none');
    for (const more of [{ ask: true }, { network: true }])
      expect(await asked(tool, { ...input, ...more })).toMatchObject({
        facts: { sandbox: expect.stringContaining('can write in this folder') as string },
      });
  });
});
