import { rmSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { JsonObject, Model, Tool, ToolRule } from '../../src/core/index.js';
import { modeRules, readRule, toolRef } from '../../src/core/index.js';
import { generate } from '../../src/engine/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { builtinTools, requestGrant, toolSet, underRules } from '../../src/tools/index.js';
import { tempFolders } from './temp-folder.js';

const makeFolder = tempFolders();

/** A model that calls one tool and then stops. */
function calls(name: string, input: JsonObject): Model {
  return {
    id: 'test',
    async *generate({ messages }) {
      const isOver = [...messages].length > 1;
      const text = { type: 'text', text: 'done' } as const;
      const call = { type: 'tool-request', ref: toolRef('r1'), name, input } as const;
      yield { type: 'reply', reply: { content: [isOver ? text : call], end: isOver ? 'stop' : 'tool-use' } };
    },
  };
}

/** The built-in tools of a folder under rules. */
function toolsOf(cwd: string, rules: readonly ToolRule[]): readonly Tool[] {
  const clock = fakeClock({ auto: true });
  const builtin = builtinTools({
    ...{ cwd, env: { PATH: process.env['PATH'] }, home: '/nowhere', clock },
    sandbox: { mode: 'off' },
  });
  const grant = requestGrant({
    tools: () => ({ get: (name) => ruled.find((one) => one.name === name) }),
    rules: () => rules,
    clock,
  });
  const ruled = [...builtin, grant].map((tool) => underRules(tool, () => rules));
  return ruled;
}

const edit = (name: string): JsonObject => ({ path: name, oldText: 'needle', newText: '' });

/** A call of each built-in tool; what it finds differs between the folders of the test. */
const CALLS: Readonly<Record<string, JsonObject>> = {
  ask_user: { question: 'Which?' },
  list_files: { path: 'held' },
  read_file: { path: 'held/a.txt' },
  search_files: { path: 'held', pattern: 'needle' },
  write_file: { path: 'held/b.txt', content: 'x' },
  edit_file: edit('held/a.txt'),
  run_command: { argv: ['./held/run'] },
  fetch_url: { url: 'https://example.com/' },
  todo: { items: [{ text: 'a', status: 'open' }] },
  finish: { result: 'done' },
  request_grant: {
    reason: 'edits',
    calls: [{ tool: 'edit_file', input: edit('held/a.txt'), size: 'call', times: 3 }],
  },
};

/** What comes of a call in a folder where it would find one thing, and in the same folder with another. */
async function both(name: string, ...texts: readonly (readonly ['deny' | 'ask', string] | 'read-only')[]) {
  const { path: cwd, write } = await makeFolder();
  const place = { folder: cwd, home: '/nowhere' };
  const rules = texts.flatMap((one) =>
    one === 'read-only' ? modeRules(one, place, 'f') : [readRule(...one, 'f', place)],
  );
  const seen = [];
  for (const files of [
    { 'held/a.txt': 'a needle', 'held/b.txt/sub': '', 'held/run': '' },
    { 'held/a.txt': 'hay', 'held/b.txt': 'hay' },
  ]) {
    rmSync(path.join(cwd, 'held'), { recursive: true, force: true });
    await write(files);
    const { messages, interrupts, finishReason } = await generate(
      {
        model: calls(name, CALLS[name] ?? {}),
        clock: fakeClock({ auto: true }),
        tools: toolSet(toolsOf(cwd, rules)),
        prompt: 'go',
      },
      new AbortController().signal,
    );
    const told = JSON.stringify(messages.filter(({ role }) => role === 'tool'));
    seen.push({ told, asked: JSON.stringify(interrupts.map(({ payload }) => payload)), finishReason });
  }
  return seen;
}

describe('what a rule stops', () => {
  test('has a call of every built-in tool here', () => {
    expect(Object.keys(CALLS).sort()).toEqual(
      toolsOf('/', [])
        .map(({ name }) => name)
        .sort(),
    );
  });

  test.for(Object.keys(CALLS))('tells a model nothing of what a denied %s would find', async (name) => {
    const [one, other] = await both(name, ['deny', name]);
    expect(one).toMatchObject({
      asked: expect.stringContaining(`"rule":"deny ${name} (f)"`) as string,
      finishReason: 'interrupted',
    });
    expect(other).toEqual(one);
  });

  test.for(['edit_file held/**', 'edit_file held/a.txt', '*'])(
    'tells nothing of what an edit would find with deny %s',
    async (text) => {
      const [one, other] = await both('edit_file', ['deny', text]);
      expect(one?.finishReason).toBe('interrupted');
      expect(other).toEqual(one);
    },
  );

  test.for(['deny', 'ask'] as const)('tells nothing of a file that %s read_file is about', async (effect) => {
    const [one, other] = await both('edit_file', [effect, 'read_file held/**']);
    expect(one?.finishReason).toBe('interrupted');
    expect([other?.told, other?.finishReason]).toEqual([one?.told, one?.finishReason]);
  });

  test('tells nothing of it in the mode read-only', async () => {
    const [one, other] = await both('edit_file', 'read-only');
    expect(one?.finishReason).toBe('interrupted');
    expect(other).toEqual(one);
  });

  test('leaves an edit that does not fit to the model where nothing stops it', async () => {
    const [one, other] = await both('edit_file', ['deny', 'edit_file other/**']);
    expect(one?.finishReason).toBe('interrupted');
    expect(other).toMatchObject({
      finishReason: 'stop',
      told: expect.stringContaining('`oldText` does not occur in the file') as string,
    });
  });
});
