import { describe, expect, test } from 'vitest';

import { hasPatterns, PATTERN_TOO_SLOW, withinPatternTime } from '../../src/core/index.js';
import { compileSchema } from '../../src/tools/compile-schema.js';
import { checkSchema } from '../../src/human/answer/check-schema.js';
import { cpuTime } from '../helpers/cpu-time.js';

const EVIL = { type: 'object', properties: { v: { type: 'string', pattern: '^(a+)+$' } } };
const value = { v: `${'a'.repeat(50)}b` };

/** How long work takes at most: without a limit it would take years. */
function quickly<T>(work: () => T): T {
  const before = cpuTime();
  const result = work();
  expect(cpuTime() - before).toBeLessThan(2_000);
  return result;
}

describe('T18 a pattern of somebody else', () => {
  test('a pattern that takes for ever is given up', () => {
    expect(quickly(() => withinPatternTime(() => [/^(a|a)+$/u.test(value.v)]))).toBeUndefined();
  });

  test('work that others held up is not given up: the time of the processor counts', () => {
    let attempts = 0;
    const heldUp = () => {
      attempts += 1;
      if (attempts < 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
      return { attempts };
    };
    expect(withinPatternTime(heldUp)).toEqual({ attempts: 3 });
    attempts = -100;
    expect(withinPatternTime(heldUp)).toBeUndefined();
    expect(attempts).toBe(-96);
  });

  test('work within its time has its result, and throws what it throws', () => {
    const result = { a: 1 };
    expect(withinPatternTime(() => result)).toBe(result);
    expect(() => {
      withinPatternTime(() => {
        throw new TypeError('mine');
      });
    }).toThrow(new TypeError('mine'));
  });

  test.for<[object, boolean]>([
    [EVIL, true],
    [{ patternProperties: { '^(a+)+$': {} } }, true],
    [{ type: 'string', format: 'email' }, true],
    [{ type: 'object', properties: { v: { type: 'string' } } }, false],
  ])('schema %j: runs patterns: %j', ([schema, runs]) => {
    expect(hasPatterns(schema)).toBe(runs);
  });

  test('an answer that its question’s pattern takes for ever to judge does not fit', () => {
    expect(quickly(() => checkSchema(value, EVIL))).toEqual([PATTERN_TOO_SLOW]);
    expect(quickly(() => checkSchema({ v: 'aaa' }, EVIL))).toEqual([]);
    const keys = { type: 'object', patternProperties: { '^(a+)+$': { type: 'number' } } };
    expect(quickly(() => checkSchema({ [value.v]: 1 }, keys))).toEqual([PATTERN_TOO_SLOW]);
  });

  test('an input that its tool’s pattern takes for ever to judge does not fit', async () => {
    const schema = compileSchema(EVIL, 'input');
    expect(quickly(() => schema.parseNow(value))).toEqual({ ok: false, issues: [PATTERN_TOO_SLOW] });
    expect(await quickly(() => schema.parse(value))).toEqual({ ok: false, issues: [PATTERN_TOO_SLOW] });
    expect(await schema.parse({ v: 'aaa' })).toEqual({ ok: true, value: { v: 'aaa' } });
  });
});
