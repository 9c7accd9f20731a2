import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import type { AskResult, Interrupt } from '../../src/core/index.js';
import { createLineSource, createScriptedInput, noLines, parseAnswersFile } from '../../src/human/index.js';
import type { ScriptedInput, ScriptedInputOptions } from '../../src/human/index.js';
import { callInterrupt, interruptOf, question, stateWith, TRANSFER } from './open-interrupt.js';

const never = new AbortController().signal;
const STATE = stateWith(TRANSFER);
const CALL = callInterrupt({ to: 'ABC123', amount: 200 });
const OTHER = callInterrupt({ to: 'XYZ789', amount: 5 }, { id: 'i2' });

function script(text: string, options: Partial<ScriptedInputOptions> = {}): ScriptedInput {
  const bytes = Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte));
  const lines = createLineSource(Readable.from(bytes));
  return createScriptedInput({ lines, onInterrupt: 'stop', actorName: 'ann', ...options });
}

function withAnswers(answers: string, options: Partial<ScriptedInputOptions> = {}): ScriptedInput {
  return script('', { answers: parseAnswersFile(answers, 'answers.jsonl').answers, ...options });
}

async function turn(input: ScriptedInput): Promise<string | undefined> {
  const next = await input.turns.next(STATE, never);
  return next.type === 'message' ? next.text : undefined;
}

async function ask(input: ScriptedInput, ...open: readonly Interrupt[]): Promise<AskResult> {
  return input.channel.ask(open, STATE, never);
}

describe('a script on stdin', () => {
  test.for([
    ['in one piece', 'Transfer 200\ny\nthanks\n'],
    ['with CRLF', 'Transfer 200\r\ny\r\nthanks\r\n'],
    ['without the last line break', 'Transfer 200\ny\nthanks'],
  ] as const)('G29: takes turns and answers in order, %s', async ([, text]) => {
    const input = script(text);
    expect(await turn(input)).toBe('Transfer 200');
    expect(await ask(input, CALL)).toEqual({
      type: 'answered',
      answer: {
        id: 'i1',
        digest: CALL.digest,
        resolution: { action: 'restart' },
        by: { type: 'script', name: 'ann', via: 'stdin', place: 'line 2' },
      },
    });
    expect(await turn(input)).toBe('thanks');
    expect(await turn(input)).toBeUndefined();
    expect(input.leftovers()).toEqual([]);
  });

  const source = { type: 'node', nodeId: 'flow', visit: 1, phase: 'run' } as const;
  const sleeping = interruptOf(
    { kind: 'question', payload: true, source: { ...source, operation: 'nap#1', wait: 'timer' } },
    'i7',
  );

  test('gives no line to a timer, and denies none (B4)', async () => {
    const rest = { type: 'left-open', why: 'waiting for a timer or an event' };
    const input = script('y\n');
    expect(await ask(input, sleeping)).toEqual(rest);
    expect(await ask(input, sleeping, CALL)).toMatchObject({ answer: { id: 'i1', by: { place: 'line 1' } } });
    expect(await ask(script('', { onInterrupt: 'deny' }), sleeping)).toEqual(rest);
    const named = script('', { answerFlags: new Map([['i7', 'go on']]) });
    expect(await ask(named, CALL, sleeping)).toMatchObject({ answer: { id: 'i7' } });
  });

  test.for(['i2 blue', 'i2=blue', 'i2@3db9c6df blue'])(
    'refuses `%s`: it names a question (B3)',
    async (line) => {
      const colour = question({ question: 'Which?' }, { type: 'string' }, 'i2');
      await expect(ask(script(line), colour)).rejects.toMatchObject({
        message: 'line 1 of stdin: `i2` is a question id, not part of an answer',
        hint: 'valid answers: --answer i2=blue · {"interrupt":"i2",…}',
      });
    },
  );

  test('leaves an interrupt open where the input ends', async () => {
    const input = script('Transfer 200');
    await turn(input);
    expect(await ask(input, CALL)).toEqual({ type: 'left-open', why: 'the input has ended' });
    expect(await input.turns.next(STATE, never)).toEqual({ type: 'end', why: 'the input has ended' });
  });

  test('`always` passes the rule on', async () => {
    expect(await ask(script('always'), CALL)).toMatchObject({ type: 'answered', always: true });
  });

  test('a plain line answers the first open interrupt in source order', async () => {
    expect(await ask(script('n'), CALL, OTHER)).toMatchObject({ answer: { id: 'i1' } });
  });

  test.for([
    ['{"interrupt":"i2","action":"restart"}', 'i2'],
    ['{"tool":"transfer","interrupt":"i1","action":"reject"}', 'i1'],
  ] as const)('%s answers the one it names', async ([line, id]) => {
    expect(await ask(script(line), CALL, OTHER)).toMatchObject({ answer: { id } });
  });

  test.for([
    ['maybe', 'line 1 of stdin: invalid answer to transfer (i1): “maybe”'],
    ['\u001b[Ay', 'line 1 of stdin: invalid answer to transfer (i1): “\u001b[Ay”'],
    ['', 'line 1 of stdin: invalid answer to transfer (i1): empty answer'],
    ['{"interrupt":"i9","action":"restart"}', 'line 1 of stdin: no open interrupt `i9`; open: i1, i2'],
    ['{"interrupt":"i","action":"restart"}', 'line 1 of stdin: more than one interrupt `i`: i1, i2'],
    [
      '{"tool":"transfer","action":"restart"}',
      'line 1 of stdin: more than one interrupt for tool `transfer`: i1, i2',
    ],
    ['{"tool":"pay","action":"restart"}', 'line 1 of stdin: no open interrupt for tool `pay`; open: i1, i2'],
  ] as const)('refuses %j with its line and what would fit', async ([line, message]) => {
    await expect(ask(script(`${line}\ny\n`), CALL, OTHER)).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      message,
      hint: expect.stringContaining('valid answers: y · edit {json}'),
    });
  });

  test('does not try the next line after one that does not fit', async () => {
    const input = script('maybe\ny\n');
    await expect(ask(input, CALL)).rejects.toThrow('line 1');
    expect(input.leftovers()).toEqual([{ text: 'y', number: 2 }]);
  });

  test('checks an edited input against the tool', async () => {
    await expect(ask(script('edit +{"amount":"much"}'), CALL)).rejects.toThrow('amount: expected number');
    expect(await ask(script('edit +{"amount":7}'), CALL)).toMatchObject({
      answer: { resolution: { action: 'restart', input: { to: 'ABC123', amount: 7 } } },
    });
  });

  test('names lines that were left over, without blank ones', async () => {
    const input = script('Transfer 200\n\ny\n   \nmore');
    await turn(input);
    await nextTick();
    expect(input.leftovers().map(({ number }) => number)).toEqual([3, 5]);
  });

  test('takes a text of several lines between three quotes as one turn', async () => {
    const input = script('"""\n/one\n\n"two"\n"""\nnext\n');
    expect(await turn(input)).toBe('//one\n\n"two"');
    expect(await turn(input)).toBe('next');
    await expect(turn(script('"""\none\n'))).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test('an aborted question takes no line', async () => {
    const input = script('y\n');
    await expect(input.channel.ask([CALL], STATE, AbortSignal.abort(new Error('withdrawn')))).rejects.toThrow(
      'withdrawn',
    );
    expect(await ask(input, CALL)).toMatchObject({ type: 'answered' });
  });
});

describe('typed lines', () => {
  const message = '{"type":"message","text":"hi"}';

  test('are turns and answers by what they say', async () => {
    const input = script(
      `${message}\n\n{"type":"answer","interrupt":"i2","answer":{"action":"reject"}}\n${message}`,
      {
        format: 'ndjson',
      },
    );
    expect(await turn(input)).toBe('hi');
    expect(await ask(input, CALL, OTHER)).toMatchObject({
      answer: { id: 'i2', resolution: { action: 'reject' }, by: { via: 'stdin', place: 'line 3' } },
    });
    expect(await turn(input)).toBe('hi');
  });

  test('a text that begins with a slash is a text', async () => {
    expect(await turn(script('{"type":"message","text":"/etc"}', { format: 'ndjson' }))).toBe('//etc');
  });

  test('answer lines and bare answers count as well', async () => {
    const line = '{"type":"answer","interrupt":"i1","answer":"n too much"}';
    expect(await ask(script(line, { format: 'ndjson' }), CALL)).toMatchObject({
      answer: { resolution: { action: 'reject', reason: 'too much' } },
    });
    const form = '{"type":"answer","interrupt":"i1","answer":{"name":"Ann"}}';
    expect(await ask(script(form, { format: 'ndjson' }), question('Who?'))).toMatchObject({
      answer: { resolution: { action: 'respond', output: { name: 'Ann' } } },
    });
  });

  test.for([
    ['a message while an interrupt is open', message, 'BAD_ANSWER'],
    ['an answer for another interrupt', '{"type":"answer","interrupt":"i7","answer":"y"}', 'BAD_ANSWER'],
    ['an answer that does not fit', '{"type":"answer","interrupt":"i1","answer":"maybe"}', 'BAD_ANSWER'],
    ['an answer for nobody', '{"type":"answer","answer":"y"}', 'BAD_INPUT'],
    ['a plain line', 'y', 'BAD_INPUT'],
    ['an unknown type', '{"type":"turn","text":"y"}', 'BAD_INPUT'],
  ] as const)('refuse %s, so that a shifted script approves nothing', async ([, line, code]) => {
    const input = script(`${line}\n{"type":"answer","interrupt":"i1","answer":"y"}\n`, { format: 'ndjson' });
    await expect(ask(input, CALL)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('line 1 of stdin'),
    });
  });

  test.for([
    ['{"foo":1}', '`type` must be `message` or `answer`'],
    ['{"type":"turn"}', '`type` must be `message` or `answer`'],
    ['{"type":"message","text":1}', 'text: Invalid input: expected string, received number'],
    ['[1]', 'Invalid input: expected object, received array'],
  ] as const)('say what is wrong with %s', async ([line, why]) => {
    await expect(turn(script(line, { format: 'ndjson' }))).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: `line 1 of stdin: ${why}`,
    });
  });

  test('refuse an answer where no open questions', async () => {
    const line = '{"type":"answer","interrupt":"i1","answer":"y"}';
    await expect(turn(script(line, { format: 'ndjson' }))).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });
});

describe('scripted answers', () => {
  test('come before stdin, and are used up', async () => {
    const input = withAnswers('{"match":{"tool":"transfer"},"answer":"y"}', {
      lines: createLineSource(Readable.from([Buffer.from('n from stdin\n')])),
    });
    expect(await ask(input, CALL)).toMatchObject({
      answer: {
        resolution: { action: 'restart' },
        by: { type: 'script', name: 'ann', via: 'answers', place: 'answers.jsonl line 1' },
      },
    });
    expect(await ask(input, OTHER)).toMatchObject({
      answer: { resolution: { action: 'reject', reason: 'from stdin' } },
    });
  });

  test.for([
    ['tool', '{"tool":"transfer"}', true],
    ['tool', '{"tool":"pay"}', false],
    ['kind', '{"kind":"confirmation"}', true],
    ['kind', '{"kind":"question"}', false],
    ['interrupt', '{"interrupt":"i1"}', true],
    ['interrupt', '{"interrupt":"i10"}', false],
    ['session', '{"session":"01k"}', true],
    ['session', '{"session":"01m"}', false],
    ['input', '{"input":{"amount":200}}', true],
    ['input', '{"input":{"amount":"200"}}', false],
    ['input', '{"input":{"toString":1}}', false],
    ['input', '{"input":{"tags":[{"n":1},2]}}', true],
    ['input', '{"input":{"tags":[{"n":1}]}}', false],
    ['input', '{"input":{"tags":{}}}', false],
    ['nothing', '{}', true],
  ] as const)('are matched by %s %s: %j', async ([, match, fits]) => {
    const input = withAnswers(`{"match":${match},"answer":"y"}`, { sessionId: '01kabc' });
    const call = callInterrupt({ to: 'ABC123', amount: 200, tags: [{ n: 1, more: true }, 2] });
    expect((await ask(input, call)).type).toBe(fits ? 'answered' : 'left-open');
  });

  test('count the n-th interrupt once, however often it is asked about', async () => {
    const input = withAnswers('{"match":{"tool":"transfer","nth":2},"answer":"y"}');
    expect((await ask(input, CALL)).type).toBe('left-open');
    expect((await ask(input, CALL)).type).toBe('left-open');
    expect(await ask(input, CALL, OTHER)).toMatchObject({ answer: { id: 'i2' } });
  });

  test('answer as often as they say', async () => {
    const twice = withAnswers('{"match":{},"answer":"y","times":2}', { strictAnswers: true });
    await ask(twice, CALL);
    expect(twice.unusedAnswers()).toEqual(['answers.jsonl line 1']);
    await ask(twice, OTHER);
    expect(twice.unusedAnswers()).toEqual([]);
    expect((await ask(twice, callInterrupt({}, { id: 'i3' }))).type).toBe('left-open');
    const any = withAnswers('{"match":{},"answer":"n","times":"any"}', { strictAnswers: true });
    expect(any.unusedAnswers()).toEqual(['answers.jsonl line 1']);
    for (let time = 0; time < 3; time += 1) expect((await ask(any, CALL)).type).toBe('answered');
    expect(any.unusedAnswers()).toEqual([]);
  });

  test('the first that matches answers, for the first interrupt that one matches', async () => {
    const input = withAnswers('{"match":{"interrupt":"i2"},"answer":"n"}\n{"match":{},"answer":"y"}');
    expect(await ask(input, OTHER, CALL)).toMatchObject({
      answer: { id: 'i2', resolution: { action: 'reject' } },
    });
    expect(await ask(input, CALL)).toMatchObject({ answer: { id: 'i1', resolution: { action: 'restart' } } });
  });

  test('are refused where they do not fit', async () => {
    const input = withAnswers('{"match":{},"answer":{"action":"continue"}}\n{"match":{},"answer":"y"}');
    await expect(ask(input, CALL)).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      message: 'answers.jsonl line 1: invalid answer to transfer (i1): `continue` is not available here',
    });
  });

  test('given as flags come first, once each, by id', async () => {
    const answerFlags = new Map([
      ['i2', 'n'],
      ['i9', 'y'],
    ]);
    const input = withAnswers('{"match":{},"answer":"y"}', { answerFlags });
    expect(await ask(input, CALL, OTHER)).toMatchObject({
      answer: { id: 'i2', by: { type: 'script', name: 'ann', via: 'flag', place: '--answer i2' } },
    });
    expect(await ask(input, CALL)).toMatchObject({ answer: { id: 'i1', by: { via: 'answers' } } });
    expect(input.unusedAnswers()).toEqual(['--answer i9']);
  });

  test('a flag for i1 does not answer i10', async () => {
    const input = script('', { answerFlags: new Map([['i1', 'y']]) });
    expect((await ask(input, callInterrupt({}, { id: 'i10' }))).type).toBe('left-open');
  });
});

test('lets go of stdin', async () => {
  const input = script('hi\n');
  input.close();
  expect(await turn(input)).toBeUndefined();
});

describe('an interrupt that nothing answers', () => {
  const deny = (): ScriptedInput =>
    createScriptedInput({ lines: noLines(), onInterrupt: 'deny', actorName: 'ann' });

  test('is rejected where that was asked for, and the model is told that no person was available', async () => {
    expect(await ask(deny(), CALL)).toEqual({
      type: 'answered',
      answer: {
        id: 'i1',
        digest: CALL.digest,
        resolution: { action: 'reject', reason: 'no person was available' },
        by: { type: 'rule', rule: 'on-interrupt deny' },
      },
    });
  });

  test.for([
    [question('Which?'), { action: 'cancel', reason: 'no person was available' }],
    [callInterrupt({}, { kind: 'in-doubt' }), { action: 'cancel', reason: 'no person was available' }],
    [callInterrupt({}, { kind: 'error' }), { action: 'reject', reason: 'no person was available' }],
    [
      interruptOf({ kind: 'limit', source: { type: 'run' }, payload: {} }),
      { action: 'cancel', reason: 'no person was available' },
    ],
  ] as const)(
    'a $kind is cancelled or told to the model, never called something it is not',
    async ([open, resolution]) => {
      expect(await ask(deny(), open)).toMatchObject({ answer: { resolution } });
    },
  );

  test('a pause stays open', async () => {
    const pause = interruptOf({ kind: 'pause', source: { type: 'run' }, payload: {} });
    expect((await ask(deny(), pause)).type).toBe('left-open');
  });
});
