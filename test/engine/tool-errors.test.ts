import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { JsonValue, Tool } from '../../src/core/index.js';
import { isHitlError, openInterrupts } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { defineTool } from '../../src/tools/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { answer, calls, deferred, drive, names, scene, tool, toolOutputs } from './drive.js';

const hi = stateAfter(userSaid('hi'));

function failing(name = 'fail', message = 'no money'): Tool {
  return tool(name, () => {
    throw new Error(message);
  });
}

const look = tool('look', () => 'seen');

describe('a tool that throws', () => {
  test('tells the model, and its siblings go on (G15)', async () => {
    const options = scene({ replies: [calls(['fail'], ['look']), 'done'], tools: [failing(), look] });
    const { outcome, state } = await drive(hi, options);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    expect(toolOutputs(state)).toEqual(['no money', 'seen']);
  });

  test.for<[string, unknown]>([
    ['text', 'bare words'],
    ['undefined', undefined],
  ])('something odd, such as %s, is told as text', async ([, thrown]) => {
    const odd: Tool = {
      ...look,
      async execute() {
        throw thrown;
      },
    };
    const { state } = await drive(hi, scene({ replies: [calls(['look']), 'done'], tools: [odd] }));
    expect(toolOutputs(state)).toEqual([String(thrown)]);
  });
});

describe("with onToolError 'ask', a tool that throws", () => {
  const options = () =>
    scene({
      replies: [calls(['fail', { a: 1 }], ['look']), 'done'],
      tools: [
        defineTool(
          {
            name: 'fail',
            description: 'Fails at first.',
            input: z.object({ a: z.number(), b: z.number().default(2) }),
            output: z.string(),
          },
          ({ a }, { attempt }) => {
            if (attempt === 1) throw new Error('no money');
            return `did ${a} at ${attempt}`;
          },
        ),
        look,
      ],
      onToolError: 'ask',
    });

  test('asks the person, with the error, the input as it ran, and what an answer must be', async () => {
    const { outcome, state } = await drive(hi, options());
    expect(outcome.type).toBe('interrupted');
    expect(openInterrupts(state)).toMatchObject([
      {
        kind: 'error',
        payload: { code: 'failed', message: 'no money' },
        source: { name: 'fail', input: { a: 1, b: 2 }, raisedBy: 'engine' },
        answerSchema: { type: 'string' },
        allowed: ['retry', 'restart', 'reject', 'respond', 'cancel'],
      },
    ]);
  });

  test.for([
    [{ action: 'retry' }, 'did 1 at 2'],
    [{ action: 'restart', input: { a: 5 } }, 'did 5 at 2'],
    [{ action: 'respond', output: 'by hand' }, 'by hand'],
    [{ action: 'reject' }, 'no money'],
    [{ action: 'cancel', reason: 'leave it' }, 'cancelled by the user; it did not run: leave it'],
  ] as const)('and is answered with %j', async ([resolution, output]) => {
    const scenery = options();
    const { state } = await drive(hi, scenery);
    const { outcome, state: after } = await drive(answer(state, resolution), scenery);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    expect(toolOutputs(after)).toEqual([output, 'seen']);
  });

  test('asks again when it fails again', async () => {
    const scenery = {
      ...scene({ replies: [calls(['fail']), 'done'], tools: [failing()] }),
      onToolError: 'ask' as const,
    };
    const first = await drive(hi, scenery);
    const second = await drive(answer(first.state, { action: 'retry' }), scenery);
    expect(names(second.events)).toEqual(['started r1#2', 'raised i2 error']);
  });

  test('is not entered with an input that no honest model writes, whichever way it came', async () => {
    const input = JSON.parse('{"a":{"constructor":{"prototype":{"polluted":1}}}}') as JsonValue;
    const { state } = await drive(hi, scene({ replies: [calls(['look', input]), 'done'], tools: [look] }));
    expect(toolOutputs(state)).toEqual([
      'the input was rejected: the key "prototype" is not allowed in "constructor"',
    ]);
  });

  test('does not ask about what only the model can mend', async () => {
    const strict = defineTool(
      {
        name: 'strict',
        description: 'Takes a number.',
        input: z.object({ n: z.number() }),
        output: z.string(),
      },
      ({ n }) => n as never,
    );
    const scenery = {
      ...scene({ replies: [calls(['strict', {}], ['gone'], ['strict', { n: 1 }]), 'done'], tools: [strict] }),
      onToolError: 'ask' as const,
    };
    const { outcome, state } = await drive(hi, scenery);
    expect(outcome.type).toBe('ended');
    expect(toolOutputs(state)).toEqual([
      'invalid input for `strict`: n: expected number, received undefined',
      'unknown tool `gone`; available tools: strict',
      "the tool's output does not match its schema: expected string, received number",
    ]);
  });
});

describe("with onToolError 'throw', a tool that throws", () => {
  test('fails the run with one error, once its siblings have settled', async () => {
    const wait = deferred();
    const slow = tool('slow', async () => {
      await wait.promise;
      return 'slow';
    });
    const options = {
      ...scene({ replies: [calls(['fail'], ['slow'], ['fail'])], tools: [failing(), slow] }),
      onToolError: 'throw' as const,
    };
    let failures = 0;
    const { outcome, state } = await drive(hi, options, {
      kept: (event) => {
        if (event.type === 'tool-settled' && (failures += 1) === 2) wait.resolve();
      },
    });
    if (outcome.type !== 'ended' || !isHitlError(outcome.error)) throw new Error('the run did not fail');
    const { code, message, detail, cause } = outcome.error;
    expect([code, message]).toEqual([
      'TOOL_FAILED',
      'tool `fail` failed: no money; tool `fail` failed: no money',
    ]);
    expect(cause).toBeInstanceOf(AggregateError);
    expect(detail).toMatchObject({
      failures: [
        { ref: 'r1', name: 'fail', code: 'failed', message: 'no money' },
        { ref: 'r3', name: 'fail', code: 'failed', message: 'no money' },
      ],
    });
    expect(state.ended).toMatchObject({ type: 'failed', error: { code: 'TOOL_FAILED', message } });
    expect(toolOutputs(state)).toEqual(['no money', 'slow', 'no money']);
  });

  test('with different failures fails as a whole', async () => {
    const options = {
      ...scene({ replies: [calls(['fail'], ['gone'])], tools: [failing()] }),
      onToolError: 'throw' as const,
    };
    const { outcome } = await drive(hi, options);
    expect(outcome).toMatchObject({ error: { code: 'TOOL_FAILED' } });
  });

  test('leaves a session that goes on', async () => {
    const options = scene({ replies: [calls(['fail']), 'sorry'], tools: [failing()] });
    const { state } = await drive(hi, { ...options, onToolError: 'throw' });
    const { outcome } = await drive(state, options);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });
});

describe('what a tool returns', () => {
  async function outputOf(returned: unknown, more: Partial<Tool> = {}): Promise<unknown> {
    const raw: Tool = { ...look, ...more, execute: async () => returned as never };
    const { state } = await drive(hi, scene({ replies: [calls(['look']), 'done'], tools: [raw] }));
    return state.entries.at(-2)?.message.content[0];
  }
  const part = { type: 'tool-response', ref: 'r1', name: 'look' };

  test.for([0, '', false, null, [], {}, { output: 1 }])('may be %j', async (value) => {
    expect(await outputOf(value)).toEqual({ ...part, output: value });
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  test.for<[string, unknown]>([
    ['nothing', undefined],
    ['a function', () => 1],
    ['a cycle', cycle],
    ['a BigInt', 1n],
  ])('is refused where it is %s (case 80)', async ([, value]) => {
    expect(await outputOf(value)).toEqual({
      ...part,
      output: 'tool `look` did not return a JSON value',
      isError: true,
    });
  });

  test('is made well formed, in values, in keys and in content (G8)', async () => {
    expect(await outputOf({ '\ud800': ['a\ud800'] })).toEqual({ ...part, output: { '\ufffd': ['a\ufffd'] } });
    const content = [{ type: 'text', text: '\udc00' }];
    expect(await outputOf({ output: 1, content, metadata: { a: '\ud800' } }, { multipart: true })).toEqual({
      ...part,
      output: 1,
      content: [{ type: 'text', text: '\ufffd' }],
      metadata: { a: '\ufffd' },
    });
  });

  test('owns nothing of the tool', async () => {
    const mine = { list: [1] };
    const keeping: Tool = { ...look, execute: async () => mine };
    const { state } = await drive(hi, scene({ replies: [calls(['look']), 'done'], tools: [keeping] }));
    mine.list.push(2);
    expect(toolOutputs(state)).toEqual([{ list: [1] }]);
  });

  test.for<[unknown, unknown]>([
    [{ output: null }, { output: null }],
    ['bare', { output: 'bare' }],
    [{ no: 'output' }, { output: { no: 'output' } }],
    [null, { output: null }],
  ])('of a multipart tool may be %j', async ([returned, more]) => {
    expect(await outputOf(returned, { multipart: true })).toEqual({ ...part, ...(more as object) });
  });

  test.for<[unknown, string]>([
    ['x', '`content` must be a list of parts'],
    [[null], '`content[0]` must be a part of type text, media, data, such as {"type":"text","text":"hello"}'],
    [
      [{ text: 'x' }],
      '`content[0]` must be a part of type text, media, data, such as {"type":"text","text":"hello"}',
    ],
    [[{ type: 'text', text: 'a' }, { type: 'media' }], '`content[1].url` must be a string'],
  ])('of a multipart tool is refused with the content %j (D5)', async ([content, why]) => {
    expect(await outputOf({ output: 1, content }, { multipart: true })).toEqual({
      ...part,
      output: `the tool returned an invalid result: ${why}`,
      isError: true,
    });
  });

  test('is an error of the tool where its check breaks', async () => {
    const parseOutput = () => {
      throw new Error('the check broke');
    };
    expect(await outputOf(1, { parseOutput })).toEqual({
      ...part,
      output: "the tool's output does not match its schema: the check broke",
      isError: true,
    });
  });
});

describe('a tool out of time', () => {
  async function timed(
    body: Parameters<typeof tool>[1],
    more: Partial<Tool>,
    steps: readonly number[],
    onToolError?: 'ask',
  ) {
    const clock = fakeClock();
    const slow: Tool = { ...tool('slow', body), timeoutMs: 100, ...more };
    const options = {
      ...scene({ replies: [calls(['slow']), 'done'], tools: [slow], clock }),
      ...(onToolError && { onToolError }),
    };
    const running = drive(hi, options);
    for (const ms of steps) {
      await clock.untilSleeping();
      await clock.advance(ms);
    }
    return { driven: await running, clock, options };
  }

  const obeying: Parameters<typeof tool>[1] = (_input, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('told to stop'));
      });
    });
  const deaf: Parameters<typeof tool>[1] = () => new Promise(() => undefined);

  test('is told to stop, and the model what is known', async () => {
    const { driven, clock } = await timed(obeying, { effect: 'none' }, [100]);
    expect(toolOutputs(driven.state)).toEqual(['stopped: no result within 100 ms']);
    expect(clock.sleeping).toBe(0);
  });

  test('that does something once is said to have done nobody knows what', async () => {
    const { driven } = await timed(obeying, { effect: 'once' }, [100]);
    expect(toolOutputs(driven.state)).toEqual(['stopped: no result within 100 ms; it may have partly run']);
  });

  test('that had its result in time keeps it', async () => {
    const { driven, clock } = await timed(() => 'quick', { effect: 'once' }, []);
    expect(toolOutputs(driven.state)).toEqual(['quick']);
    expect(clock.sleeping).toBe(0);
  });

  test('that does not stop is given up, where it has no lasting effect', async () => {
    const { driven } = await timed(deaf, { effect: 'idempotent' }, [100, 2_000]);
    expect(toolOutputs(driven.state)).toEqual([
      'stopped: no result within 100 ms, and did not stop when asked to',
    ]);
  });

  test('that does not stop is in doubt, where it does something once (G10)', async () => {
    const { driven } = await timed(deaf, { effect: 'once' }, [100, 2_000]);
    expect(names(driven.events).slice(2)).toEqual(['started r1#1', 'raised i1 in-doubt']);
    expect(driven.outcome.type).toBe('interrupted');
  });

  test.for(['idempotent', 'none'] as const)('is asked about, on demand (%s)', async (effect) => {
    const { driven } = await timed(deaf, { effect }, [100, 2_000], 'ask');
    expect(openInterrupts(driven.state)).toMatchObject([{ kind: 'error', payload: { code: 'timeout' } }]);
  });
});
