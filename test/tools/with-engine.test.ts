import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { JsonValue, Model, Tool } from '../../src/core/index.js';
import { toolRef } from '../../src/core/index.js';
import { generate } from '../../src/engine/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { builtinTools, defineTool, respond, restart, toolSet } from '../../src/tools/index.js';
import { tempFolders } from './temp-folder.js';

const folder = tempFolders();
const { signal } = new AbortController();

/** A model that calls one tool and then stops. */
function calls(name: string, input: JsonValue): Model {
  return {
    id: 'test',
    async *generate({ messages }) {
      const said = [...messages].length > 1;
      const text = { type: 'text', text: 'done' } as const;
      const call = { type: 'tool-request', ref: toolRef('r1'), name, input } as const;
      yield { type: 'reply', reply: { content: [said ? text : call], end: said ? 'stop' : 'tool-use' } };
    },
  };
}

async function session(tools: Iterable<Tool>, name: string, input: JsonValue) {
  const request = { model: calls(name, input), clock: fakeClock({ auto: true }), tools: toolSet(tools) };
  const first = await generate({ ...request, prompt: 'go' }, signal);
  return {
    first,
    agree: async (from = first) => {
      const answer = restart(from.interrupts[0]!);
      return generate({ ...request, messages: from.messages, resume: { restart: answer } }, signal);
    },
    answer: async (output: JsonValue) =>
      generate(
        {
          ...request,
          messages: first.messages,
          resume: { respond: respond(first.interrupts[0]!, output) },
        },
        signal,
      ),
  };
}

async function project() {
  const home = await folder();
  await home.write({ 'project/a.txt': 'one\n', 'secret.txt': 'outside\n', 'other.txt': 'other\n' });
  const cwd = path.join(home.path, 'project');
  return { cwd, tools: builtinTools({ cwd, env: process.env, home: '/nowhere', clock: fakeClock() }) };
}

describe('the built-in tools in the engine', () => {
  test('read inside without asking, and ask once about what is outside', async () => {
    const { tools } = await project();
    expect((await session(tools, 'read_file', { path: 'a.txt' })).first.finishReason).toBe('stop');
    const { first, agree } = await session(tools, 'read_file', { path: '../secret.txt' });
    expect(first.interrupts).toMatchObject([
      {
        kind: 'confirmation',
        source: { raisedBy: 'approval' },
        payload: { reason: 'reads outside the working directory' },
      },
    ]);
    expect((await agree()).finishReason).toBe('stop');
  });

  test('ask once before they write, and again where the file changed in the meantime', async () => {
    const { cwd, tools } = await project();
    const once = await session(tools, 'write_file', { path: 'a.txt', content: 'two\n' });
    expect(once.first.interrupts).toHaveLength(1);
    expect((await once.agree()).finishReason).toBe('stop');
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('two\n');

    const twice = await session(tools, 'edit_file', { path: 'a.txt', oldText: 'two', newText: 'three' });
    writeFileSync(path.join(cwd, 'a.txt'), 'and two\n');
    const again = await twice.agree();
    expect(again.interrupts).toMatchObject([
      {
        source: { raisedBy: 'approval' },
        payload: { diff: expect.stringContaining('+and three') as string },
      },
    ]);
    expect((await twice.agree(again)).finishReason).toBe('stop');
    expect(readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('and three\n');
  });

  test('ask again where an approved path leads elsewhere when it is used', async () => {
    const { cwd, tools } = await project();
    symlinkSync('../secret.txt', path.join(cwd, 'link'));
    const { agree } = await session(tools, 'read_file', { path: 'link' });
    rmSync(path.join(cwd, 'link'));
    symlinkSync('../other.txt', path.join(cwd, 'link'));
    const again = await agree();
    expect(again.interrupts).toMatchObject([
      {
        payload: {
          warnings: [
            expect.stringContaining('not what was approved: path changed from '),
            'reached through a symbolic link',
          ],
        },
      },
    ]);
    expect((await agree(again)).finishReason).toBe('stop');
  });

  test('take an answer in words beside the choices, and nothing that is no answer', async () => {
    const { tools } = await project();
    const { first, answer } = await session(tools, 'ask_user', { question: 'Which?', choices: ['a', 'b'] });
    expect(first.interrupts).toMatchObject([
      { kind: 'question', allowed: ['respond', 'cancel'], answerSchema: { type: 'string' } },
    ]);
    expect(() => restart(first.interrupts[0]!)).toThrow('does not answer');
    await expect(answer(5)).rejects.toThrow('invalid answer');
    expect((await answer('c')).finishReason).toBe('stop');
  });
});

test('an interrupt payload that breaks its schema is told as the tool’s failure', async () => {
  const tool = defineTool(
    { name: 'pay', description: 'Pays.', interrupt: { type: 'string' } },
    (_, context) => context.interrupt(5),
  );
  const { first } = await session([tool], 'pay', {});
  expect(JSON.stringify(first.messages)).toContain(
    'the interrupt payload of `pay` does not match its schema',
  );
});
