import { expect, test } from 'vitest';

import type { JsonValue } from '../../../src/core/index.js';
import { schemaProblem } from '../../../src/core/data/fits-schema.js';
import { tempFolders } from '../temp-folder.js';
import { builtin } from './builtin.js';

const folder = tempFolders();

test.each<[string, JsonValue]>([
  ['run_command', { exitCode: 0, signal: null, output: '' }],
  ['write_file', { path: 'a.txt', bytes: 3 }],
  ['edit_file', { path: 'a.txt', line: 1 }],
])('a person answers for %s in words, or with what it would give', async (name, usual) => {
  const tool = builtin(name, (await folder()).path);
  for (const answer of ['the tests pass', usual]) {
    expect(await tool.parseOutput(answer)).toEqual({ ok: true, value: answer });
    expect(schemaProblem(answer, tool.outputSchema ?? {})).toBeUndefined();
  }
  expect(await tool.parseOutput({ path: 3 })).toMatchObject({ ok: false });
});
