import { describe, expect, test } from 'vitest';

import type { HitlError } from '../../src/core/index.js';
import { answers, cancel, reject, respond, restart, retry } from '../../src/tools/index.js';
import { interruptOf } from './run-tool.js';

const open = interruptOf('pay', { input: { amount: 10 } });
const by = { type: 'script', name: 'nightly', via: 'flag' } as const;

function answered(resolution: object, who: object = { type: 'person', name: 'library', via: 'library' }) {
  return { id: open.id, digest: open.digest, resolution, by: who };
}

describe('an answer', () => {
  test('is bound to the interrupt as it was shown, with what was decided and by whom (G11)', () => {
    expect(respond(open, { paid: 1 }, { by })).toEqual(
      answered({ action: 'respond', output: { paid: 1 } }, by),
    );
    expect(restart(open)).toEqual(answered({ action: 'restart' }));
    expect(restart(open, { note: 'and stop' })).toEqual(answered({ action: 'restart', note: 'and stop' }));
    expect(reject(open, { reason: 'no' })).toEqual(answered({ action: 'reject', reason: 'no' }));
    expect(reject(open)).toEqual(answered({ action: 'reject' }));
    expect(cancel(open, { reason: 'late', by })).toEqual(answered({ action: 'cancel', reason: 'late' }, by));
    const doubt = interruptOf('pay', { kind: 'in-doubt', input: { amount: 10 } });
    expect(retry(doubt)).toEqual({ ...answered({ action: 'retry' }), digest: doubt.digest });
  });

  test.for([0, '', false, null])('keeps %j as output, input and metadata (cases 48, 52, 64)', (value) => {
    expect(respond(open, value, { metadata: value }).resolution).toEqual({
      action: 'respond',
      output: value,
      metadata: value,
    });
    expect(restart(open, { input: value, metadata: value }).resolution).toEqual({
      action: 'restart',
      input: value,
      metadata: value,
    });
  });

  test('is refused where the interrupt does not allow the action, saying what it allows', () => {
    const doubt = interruptOf('pay', { kind: 'in-doubt' });
    try {
      restart(doubt);
    } catch (error) {
      expect(error).toMatchObject({
        code: 'BAD_ANSWER',
        message: '`restart` does not answer `pay#r1` (i1); it takes: respond, retry, reject, cancel',
        hint: 'valid actions: respond, retry, reject, cancel',
      } satisfies Partial<HitlError>);
    }
    expect(() => restart(doubt)).toThrow();
    expect(() => retry(open)).toThrow('`retry` does not answer `pay#r1` (i1)');
    expect(() => respond(interruptOf('pay', { allowed: ['cancel'] }), 1)).toThrow(
      '`respond` does not answer',
    );
  });

  test('is refused where it breaks the answer schema (case 39)', () => {
    const question = interruptOf('ask', {
      kind: 'question',
      answerSchema: { type: 'string', enum: ['a', 'b'] },
    });
    expect(respond(question, 'a').resolution).toEqual({ action: 'respond', output: 'a' });
    expect(() => respond(question, 'c')).toThrow('invalid answer to `i1`');
  });

  test.for([undefined, null, 5, 'i1', {}, { id: 'i1', digest: 'd' }])(
    'F9, L5: to %j, which is no interrupt, is refused by every builder',
    (given) => {
      for (const build of [respond, restart, retry, reject, cancel] as ((...all: unknown[]) => unknown)[]) {
        expect(() => build(given, {})).toThrow(
          expect.objectContaining({ code: 'BAD_ANSWER', status: 'INVALID_ARGUMENT' }) as Error,
        );
      }
    },
  );

  test('F9, L6: whose reason is no text is refused', () => {
    expect(() => reject(open, { reason: { why: 'no' } as never })).toThrow(
      'invalid answer to `i1`: `reason` must be a string',
    );
    expect(() => cancel(open, 'late' as never)).toThrow('answer options must be an object');
  });

  test.for([[() => 1], [10n], [Number.NaN], [new Date(0)], [undefined]])(
    'with the output %s, which is no JSON, is refused',
    ([output]) => {
      expect(() => respond(open, output as never)).toThrow(
        'invalid answer to `i1`: `output` must be a JSON value',
      );
    },
  );
});

describe('an answer that came as JSON', () => {
  const body = { id: open.id, digest: open.digest, resolution: { action: 'restart', input: { amount: 5 } } };

  test('is read, and who decided is whom the reader knows', () => {
    const claimed = { ...body, by: { type: 'person', name: 'the boss', via: 'library' }, more: 1 };
    expect(answers.read(claimed, { by })).toEqual({ ...body, by });
    expect(answers.read(JSON.parse(JSON.stringify(claimed)))).toEqual(answered(body.resolution));
  });

  test.for([
    null,
    'yes',
    [],
    {},
    { ...body, id: 5 },
    { ...body, digest: undefined },
    { ...body, resolution: 'yes' },
  ])('is refused where it is none: %j', (value) => {
    expect(() => answers.read(value)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});

test('any decision that a question allows is an answer, and no other one', () => {
  const gate = {
    ...open,
    source: { type: 'node', nodeId: 'a', visit: 1, phase: 'before' },
    allowed: ['continue'],
  } as const;
  expect(answers.decide(gate, { action: 'continue' }, { by }).resolution).toEqual({ action: 'continue' });
  expect(() => answers.decide(gate, { action: 'skip' })).toThrow('it takes: continue');
});
