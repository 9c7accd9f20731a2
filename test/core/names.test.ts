import { describe, expect, test } from 'vitest';

import type { ToolDescriptor } from '../../src/core/index.js';
import {
  assertNever,
  describeTool,
  HitlError,
  invariant,
  isHitlError,
  isSendable,
  isSessionId,
  isoTime,
  messageOf,
  ROOT_PATH,
  textOf,
  textPart,
  toolDigest,
  toolRequestsOf,
} from '../../src/core/index.js';
import { requestPart } from '../helpers/events.js';

describe('the id of a session (G32)', () => {
  test.for(['a', '7f3k', 'a-b_c', 'a'.repeat(64)])('may be %s', (id) => {
    expect(isSessionId(id)).toBe(true);
  });

  test.for(['', '-a', '_a', 'A', 'a/b', '../a', 'a.b', 'a b', 'é', 'a\n', 'a'.repeat(65)])(
    'may not be %j',
    (id) => {
      expect(isSessionId(id)).toBe(false);
    },
  );

  test('of the chat itself is an empty path', () => {
    expect(ROOT_PATH).toBe('');
  });
});

describe('an error', () => {
  test('carries a code of ours and the status that Genkit has for it', () => {
    const cause = new Error('why');
    const error = new HitlError('TURN_LIMIT', 'too far', { hint: 'stop', detail: { n: 1 }, cause });
    expect(error).toMatchObject({
      name: 'HitlError',
      code: 'TURN_LIMIT',
      status: 'ABORTED',
      message: 'too far',
      hint: 'stop',
      detail: { n: 1 },
      cause,
    });
    expect(new HitlError('INTERNAL', 'x')).not.toHaveProperty('cause');
  });

  test('is known by its brand, also when another copy of the package made it', () => {
    const other = Object.assign(new Error('x'), { [Symbol.for('hitl.error')]: true });
    expect([new HitlError('INTERNAL', 'x'), other].map(isHitlError)).toEqual([true, true]);
    const inherited: object = Object.create(new HitlError('INTERNAL', 'x')) as object;
    expect([new Error('x'), null, 'x', undefined, {}, inherited].map(isHitlError)).toEqual(
      Array.from({ length: 6 }, () => false),
    );
  });

  test.for<[unknown, string]>([
    [new Error('words'), 'words'],
    [new TypeError(''), 'TypeError'],
    ['text', 'text'],
    [7, '7'],
    [undefined, 'undefined'],
  ])('of %s has the message %s', ([thrown, message]) => {
    expect(messageOf(thrown)).toBe(message);
  });
});

describe('an assertion', () => {
  test('throws INTERNAL where the code was wrong', () => {
    expect(() => assertNever({ type: 'odd' } as never)).toThrow('unexpected value {"type":"odd"}');
    expect(() => {
      invariant(false, 'it holds');
    }).toThrow(expect.objectContaining({ code: 'INTERNAL', message: 'it holds' }) as Error);
    expect(() => {
      invariant(true, 'it holds');
    }).not.toThrow();
  });
});

describe('a moment', () => {
  test('is ISO 8601 in UTC', () => {
    expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('a message', () => {
  const message = {
    role: 'model',
    content: [textPart('a'), requestPart('pay', 'r1'), textPart('b'), requestPart('pay', 'r2')],
  } as const;

  test('has its requests in source order, and its text without what is between', () => {
    expect(toolRequestsOf(message).map(({ ref }) => ref)).toEqual(['r1', 'r2']);
    expect(textOf(message)).toBe('ab');
  });

  test('can be sent unless there is nothing in it', () => {
    const contents = [[], [textPart('')], [textPart(''), textPart('x')], [requestPart('pay', 'r1')]];
    expect(contents.map((content) => isSendable({ role: 'model', content }))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('the descriptor of a tool', () => {
  const tool: ToolDescriptor = {
    name: 'pay',
    description: 'Pays.',
    inputSchema: { type: 'object' },
    effect: 'once',
    origin: 'library',
    restartable: true,
  };

  test('holds nothing of its code', () => {
    expect(describeTool({ ...tool, execute: () => 1 } as ToolDescriptor)).toEqual(tool);
    const withOutput = { ...tool, outputSchema: { type: 'string' } };
    expect(describeTool(withOutput)).toEqual(withOutput);
  });

  test('has a digest that changes with what a person agreed to', () => {
    const changes: Partial<ToolDescriptor>[] = [
      {},
      { name: 'say' },
      { description: 'Steals.' },
      { inputSchema: {} },
      { outputSchema: {} },
      { effect: 'none' },
      { origin: 'mcp bank' },
    ];
    const digests = changes.map((change) => toolDigest({ ...tool, ...change }));
    expect(new Set(digests).size).toBe(changes.length);
    expect(toolDigest({ ...tool, restartable: false })).toBe(toolDigest(tool));
  });
});
