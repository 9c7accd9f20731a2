import { mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { messageOf } from '../../src/core/index.js';
import type { JsonValue, Tool } from '../../src/core/index.js';
import { asked, builtin } from '../tools/builtin/builtin.js';
import { runTool } from '../tools/run-tool.js';
import { tempFolders } from '../tools/temp-folder.js';
import { whileExchanging } from './racer.js';

const temporary = tempFolders();
/** Tries of each tool; `npm run races` takes many. */
const TRIES = Number(process.env['RACE_TRIES'] ?? 40);
const SECRET = 'unmistakable';

async function arena() {
  const { path: base, write } = await temporary();
  await write({
    'project/docs/note.txt': 'inside\n',
    'project/file.txt': 'inside\n',
    'outside/note.txt': `${SECRET}\n`,
    [`outside/${SECRET}.txt`]: `${SECRET}\n`,
  });
  symlinkSync('../outside', path.join(base, 'project/swap'));
  symlinkSync('../outside/note.txt', path.join(base, 'project/alias'));
  const at = (name: string) => path.join(base, 'project', name);
  return { base, cwd: at('.'), names: [at('docs'), at('swap'), at('file.txt'), at('alias')] };
}

/** What a person who looks only at the path would agree to: inside the folder, and nothing else. */
async function approveInside(tool: Tool, input: JsonValue, cwd: string) {
  const request = await asked(tool, input);
  if (request === undefined) return {};
  const isInside = request.facts?.['path']?.startsWith(`${cwd}${path.sep}`) === true;
  return isInside
    ? { approved: { shown: JSON.parse(JSON.stringify(request)) as JsonValue, edited: false } }
    : undefined;
}

/** Runs a tool again and again, and gives what came out where it ran. */
async function hammer(
  tool: Tool,
  input: JsonValue,
  cwd: string,
): Promise<{ ran: string[]; stopped: number }> {
  const ran: string[] = [];
  let stopped = 0;
  for (let round = 0; round < TRIES; round += 1) {
    try {
      const given = await approveInside(tool, input, cwd);
      const result = given === undefined ? undefined : await runTool(tool, input, given);
      if (result !== undefined && 'output' in result) ran.push(JSON.stringify(result.output));
      else stopped += 1;
    } catch (error) {
      if (messageOf(error).includes(SECRET)) ran.push(messageOf(error));
      stopped += 1;
    }
  }
  return { ran, stopped };
}

const outsideOf = (base: string) =>
  Object.fromEntries(
    readdirSync(path.join(base, 'outside'), { recursive: true, encoding: 'utf8' }).map((name) => [
      name,
      readFileSync(path.join(base, 'outside', name), 'utf8'),
    ]),
  );

describe('while another process exchanges a folder and a link to one outside', () => {
  test.for([
    ['read_file', { path: 'docs/note.txt' }],
    ['read_file', { path: 'file.txt' }],
    ['list_files', { path: 'docs' }],
    ['list_files', { recursive: true }],
    ['search_files', { pattern: SECRET, path: 'docs' }],
    ['search_files', { pattern: SECRET }],
  ] as const)('%s of %j gives nothing from outside without asking', async ([name, input]) => {
    const { base, cwd, names } = await arena();
    const tool = builtin(name, path.normalize(cwd));
    await whileExchanging(names, async () => {
      const { ran, stopped } = await hammer(tool, input, path.normalize(cwd));
      expect(ran.length + stopped).toBe(TRIES);
      expect(ran.filter((text) => text.includes(SECRET))).toEqual([]);
    });
    expect(Object.keys(outsideOf(base))).toHaveLength(2);
  });

  test.for([
    ['write_file', { path: 'docs/note.txt', content: 'written' }],
    ['write_file', { path: 'docs/new.txt', content: 'written' }],
    ['write_file', { path: 'docs/deep/er/new.txt', content: 'written' }],
    ['write_file', { path: 'file.txt', content: 'written' }],
    ['edit_file', { path: 'docs/note.txt', oldText: 'side', newText: 'side+' }],
  ] as const)('%s of %j changes nothing outside, and leaves nothing behind', async ([name, input]) => {
    const { base, cwd, names } = await arena();
    const before = outsideOf(base);
    const tool = builtin(name, path.normalize(cwd));
    await whileExchanging(names, async () => {
      await hammer(tool, input, path.normalize(cwd));
    });
    expect(outsideOf(base)).toEqual(before);
    const left = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
    expect(left.filter((entry) => entry.endsWith('.tmp'))).toEqual([]);
  });

  test('a folder that appears where one is to be made is not written into', async () => {
    const { base, cwd } = await arena();
    const before = outsideOf(base);
    mkdirSync(path.join(cwd, 'empty'));
    symlinkSync('../outside', path.join(cwd, 'other'));
    const tool = builtin('write_file', path.normalize(cwd));
    await whileExchanging([path.join(cwd, 'empty'), path.join(cwd, 'other')], async () => {
      for (const name of ['empty', 'other'])
        await hammer(tool, { path: `${name}/sub/new.txt`, content: 'x' }, path.normalize(cwd));
    });
    expect(outsideOf(base)).toEqual(before);
  });
});
