import { describe, expect, test } from 'vitest';

import {
  commandCall,
  endedTerminal,
  permissionAnswer,
  permissionCall,
  permissionDigest,
  readAnswer,
  readCall,
  writeAnswer,
} from '../../../src/models/acp/asked.js';

const sessionId = 's';
const OPTIONS = [
  { optionId: 'a', name: 'Always', kind: 'allow_always' },
  { optionId: 'b', name: 'Once', kind: 'allow_once' },
  { optionId: 'c', name: 'No', kind: 'reject_once' },
] as const;

describe('a command of an agent', () => {
  test.for([
    [{ command: 'npm test' }, { command: 'npm test' }],
    [
      { command: 'git', args: ['log', '-1'], cwd: '/w' },
      { argv: ['git', 'log', '-1'], cwd: '/w' },
    ],
    [{ command: 'make', env: [{ name: 'A', value: 'b c' }] }, { argv: ['env', 'A=b c', 'sh', '-c', 'make'] }],
    [
      { command: 'git', args: ['log'], env: [{ name: 'A', value: 'b' }] },
      { argv: ['env', 'A=b', 'git', 'log'] },
    ],
  ] as const)('%j', ([given, input]) => {
    const { args, env, ...rest } = { args: undefined, env: undefined, ...given };
    const params = { sessionId, ...rest, ...(args && { args: [...args] }), ...(env && { env: [...env] }) };
    expect(commandCall(params)).toEqual({
      name: 'run_command',
      input: { ...input, timeoutMs: 600_000, writes: true },
    });
  });

  test('tells how it ended, what a person changed, and no more than the agent takes', () => {
    const asked = { command: 'make' };
    const output = { exitCode: 2, signal: null, output: 'abc', notes: ['slow'] };
    expect([
      endedTerminal({ asked, ran: asked, limit: undefined }, { output }),
      endedTerminal({ asked, ran: asked, limit: 8 }, { output }),
      endedTerminal(
        { asked, ran: { command: 'true' }, limit: undefined },
        { output: { ...output, notes: [] } },
      ),
      endedTerminal({ asked, ran: asked, limit: undefined }, { output: 'no', isError: true }),
    ]).toEqual([
      { output: 'abc\n[hitl: slow]', truncated: false, exitCode: 2, signal: null },
      { output: 'l: slow]', truncated: true, exitCode: 2, signal: null },
      {
        output: 'abc\n[hitl: the user changed the command; this ran: {"command":"true"}]',
        ...{ truncated: false, exitCode: 2, signal: null },
      },
      { error: { code: -32_603, message: 'no' } },
    ]);
  });
});

describe('a file of an agent', () => {
  const whole = readCall({ sessionId, path: '/a' }).input;
  const part = readCall({ sessionId, path: '/a', line: 3, limit: 2 }).input;

  test.for([
    [whole, { output: { content: 'x\n', toLine: 1, totalLines: 1 } }, { result: { content: 'x\n' } }],
    [part, { output: { content: 'x', toLine: 4, totalLines: 9 } }, { result: { content: 'x' } }],
    [whole, { output: 'written by hand' }, { result: { content: 'written by hand' } }],
    [
      whole,
      { output: 'a.txt does not exist', isError: true },
      { error: { code: -32_002, message: 'a.txt does not exist' } },
    ],
    [
      whole,
      { output: 'a.txt is a folder', isError: true },
      { error: { code: -32_603, message: 'a.txt is a folder' } },
    ],
  ] as const)('is read: %j', ([input, response, answer]) => {
    expect(readAnswer(input, response)).toEqual(answer);
  });

  test.for([{ truncated: true }, { cut: true }, { more: true }, { toLine: 1, totalLines: 2 }])(
    'is never given in part as if it were whole: %j',
    (part) => {
      expect(readAnswer(whole, { output: { content: 'x', ...part } })).toEqual({
        error: { code: -32_603, message: 'too long for one read; read it in parts, with `line` and `limit`' },
      });
    },
  );

  test('tells the agent when a person changed what was written', () => {
    const asked = { path: '/a', content: 'one' };
    expect([
      writeAnswer(asked, asked, { output: { path: 'a', bytes: 3 } }),
      writeAnswer(asked, { path: '/a', content: 'two' }, { output: { path: 'a', bytes: 3 } }),
    ]).toEqual([
      { result: {} },
      {
        result: {},
        says: 'The user changed the content written to "/a"; read it again before you continue.',
      },
    ]);
  });
});

describe('a permission', () => {
  const params = (toolCall: object, options: readonly object[] = OPTIONS) =>
    ({ sessionId, toolCall: { toolCallId: 't1', ...toolCall }, options }) as never;

  test('shows all that came, and chooses what allows it once', () => {
    const content = [{ type: 'diff', path: '/a', oldText: null, newText: 'x' }];
    expect(
      permissionCall('gemini', params({ title: 'Write a', rawInput: { n: 1 } }), {
        kind: 'edit',
        content,
      } as never),
    ).toEqual({
      name: 'agent_permission',
      input: {
        ...{ agent: 'gemini', call: 't1', title: 'Write a', kind: 'edit', input: { n: 1 } },
        diffs: [{ path: '/a', before: '', after: 'x' }],
        options: [
          { id: 'a', name: 'Always', kind: 'allow_always' },
          { id: 'b', name: 'Once', kind: 'allow_once' },
          { id: 'c', name: 'No', kind: 'reject_once' },
        ],
        option: 'b',
      },
    });
  });

  test.for<[object, readonly object[], string]>([
    [{}, [], 'a permission request needs 1 to 20 options, got 0'],
    [{}, [OPTIONS[0], { ...OPTIONS[2], optionId: 'a' }], 'two permission options have the same id'],
    [{ rawInput: 'x'.repeat(400_001) }, OPTIONS, 'the permission request is too large to show to a person'],
  ])('is refused where it cannot be asked about', ([call, options, why]) => {
    expect(permissionCall('gemini', params(call, options))).toBe(why);
  });

  test('is never answered by what allows it always, by itself', () => {
    const call = permissionCall('gemini', params({}, [OPTIONS[0], OPTIONS[2]]));
    expect(call).toMatchObject({ input: { option: '' } });
  });

  const once = { outcome: { outcome: 'selected', optionId: 'b' } };
  const no = { outcome: { outcome: 'selected', optionId: 'c' } };
  test.for([
    [{ output: { option: 'b' } }, OPTIONS, { result: once }],
    [
      { output: { option: 'strange' } },
      OPTIONS,
      { result: no, says: expect.stringContaining('because the user did it instead') },
    ],
    [{ output: 'the user rejected this call; it did not run', isError: true }, OPTIONS, { result: no }],
    [
      { output: 'the user rejected this call; it did not run: use pnpm', isError: true },
      OPTIONS,
      {
        result: no,
        says: 'About your request "Run it": the user rejected this call; it did not run: use pnpm',
      },
    ],
    [
      { output: 'cancelled by the user; it did not run', isError: true },
      OPTIONS.slice(0, 2),
      { result: { outcome: { outcome: 'cancelled' } } },
    ],
  ] as const)('is answered: %j', ([response, options, answer]) => {
    expect(permissionAnswer({ title: 'Run it' }, [...options], response)).toEqual(answer);
  });

  test('is the same under another id, and another with another input', () => {
    const digestOf = (call: object): string => {
      const made = permissionCall('gemini', params(call));
      if (typeof made === 'string') throw new Error(made);
      return permissionDigest(made.input);
    };
    const digest = digestOf({ title: 'Run it', rawInput: { command: 'make' } });
    expect([
      digestOf({ toolCallId: 't2', title: 'Run it', rawInput: { command: 'make' } }) === digest,
      digestOf({ title: 'Run it', rawInput: { command: 'make all' } }) === digest,
    ]).toEqual([true, false]);
  });
});
