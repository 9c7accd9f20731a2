import { describe, expect, test } from 'vitest';

import { weatherTool } from '../../../commands/demo-agent/demo-tools.js';
import { runTool } from '../run-tool.js';
import { builtin } from './builtin.js';

const ask = builtin('ask_user', '/');

describe('ask_user', () => {
  test.for([
    ['free text', {}, {}, { type: 'string' }],
    [
      'choices',
      { choices: ['red', { label: 'Deep blue', value: 'blue', description: 'dark' }] },
      {
        choices: [
          { label: 'red', value: 'red' },
          { label: 'Deep blue', value: 'blue', description: 'dark' },
        ],
        allowOther: true,
      },
      { type: 'string' },
    ],
    [
      'several choices',
      { choices: ['a', 'b'], multiple: true },
      {
        choices: [
          { label: 'a', value: 'a' },
          { label: 'b', value: 'b' },
        ],
        multiple: true,
        allowOther: true,
      },
      { type: 'array', items: { type: 'string' } },
    ],
    [
      'a form',
      {
        fields: [
          { name: 'age', type: 'number', label: 'Age' },
          { name: 'member', type: 'yes-no', optional: true },
          { name: 'password', type: 'secret' },
          { name: 'size', choices: ['S', 'L'] },
          { name: 'channel', type: 'choice', choices: ['beta', 'stable'] },
        ],
      },
      {
        fields: [
          { name: 'age', label: 'Age', type: 'number', optional: false },
          { name: 'member', label: 'member', type: 'yes-no', optional: true },
          { name: 'password', label: 'password', type: 'secret', optional: false },
          { name: 'size', label: 'size', type: 'text', optional: false, choices: ['S', 'L'] },
          {
            ...{ name: 'channel', label: 'channel', type: 'choice', optional: false },
            choices: ['beta', 'stable'],
          },
        ],
      },
      {
        type: 'object',
        properties: {
          age: { type: 'number', title: 'Age' },
          member: { type: 'boolean', title: 'member' },
          password: {
            ...{ type: 'string', title: 'password', format: 'password' },
            description: 'Not stored, and the model sees only dots.',
          },
          size: { type: 'string', title: 'size', enum: ['S', 'L'] },
          channel: { type: 'string', title: 'channel', enum: ['beta', 'stable'] },
        },
        required: ['age', 'password', 'size', 'channel'],
        additionalProperties: false,
      },
    ],
  ])('asks for %s, with a schema of the answer', async ([, input, payload, answerSchema]) => {
    expect(await runTool(ask, { question: 'Which?', ...(input as object) })).toEqual({
      interrupt: { question: 'Which?', ...(payload as object) },
      options: { kind: 'question', answerSchema },
    });
  });

  test.for([
    [{ choices: ['Yes', ' yes '] }, 'two choices have the same label'],
    [{ choices: ['ﬁle', 'file'] }, 'two choices have the same label'],
    [{ choices: ['a', { label: 'b', value: 'a' }] }, 'two choices have the same value'],
    [{ choices: ['a'], fields: [{ name: 'x' }] }, 'pass `choices` or `fields`, not both'],
    [{ fields: [{ name: 'x' }, { name: 'x' }] }, 'two fields have the same name'],
    [{ fields: [{ name: 'x', type: 'choice' }] }, 'field `x` is a choice and needs `choices`'],
  ])('refuses %j (T19)', async ([input, problem]) => {
    expect(await ask.parseInput({ question: 'q', ...(input as object) })).toEqual({
      ok: false,
      issues: [problem],
    });
  });

  test('only asks', () => {
    expect(ask).toMatchObject({ restartable: false, effect: 'none', origin: 'built in' });
  });
});

test('finish ends the run with its result', async () => {
  const finish = builtin('finish', '/');
  expect(finish.endsRun).toBe(true);
  expect(await runTool(finish, { result: 'all done' })).toEqual({ output: 'all done' });
});

describe('get_weather', () => {
  const weather = { output: { city: 'Lisbon', sky: 'sunny', celsius: 21 } };

  test('fails the first time, and works when it is called again or retried', async () => {
    const again = weatherTool();
    await expect(runTool(again, { city: 'Lisbon' })).rejects.toThrow('did not answer');
    expect(await runTool(again, { city: 'Lisbon' })).toEqual(weather);
    const retried = weatherTool();
    expect(await runTool(retried, { city: 'Lisbon' }, { attempt: 2 })).toEqual(weather);
  });
});

test('what changes something or sends something out asks; what reads the working directory does not', () => {
  const names = [
    'ask_user',
    'list_files',
    'read_file',
    'search_files',
    'write_file',
    'edit_file',
    'run_command',
    'fetch_url',
    'finish',
  ];
  expect(
    names.map((name) => [name, builtin(name, '/').effect, builtin(name, '/').approval !== undefined]),
  ).toEqual([
    ['ask_user', 'none', false],
    ['list_files', 'none', true],
    ['read_file', 'none', true],
    ['search_files', 'none', true],
    ['write_file', 'once', true],
    ['edit_file', 'once', true],
    ['run_command', 'once', true],
    ['fetch_url', 'idempotent', true],
    ['finish', 'none', false],
  ]);
});
