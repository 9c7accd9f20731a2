import { describe, expect, test } from 'vitest';

import { HitlError } from '../../src/core/index.js';
import type { FailureReport } from '../../src/models/provider-error.js';
import { failureOf, providerError, retryAfterOf, seconds } from '../../src/models/provider-error.js';
import { scrub } from '../../src/models/scrub.js';

const report: FailureReport = { who: 'P', model: 'm', message: 'no', keyVariable: 'KEY' };

describe('the failure of a provider', () => {
  test.for([
    [undefined, true],
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [409, true],
    [413, false],
    [422, false],
    [429, true],
    [500, true],
    [502, true],
    [504, true],
    [529, true],
  ] as [number | undefined, boolean][])('of status %j may pass: %j', ([status, retryable]) => {
    const error = providerError({ ...report, ...(status !== undefined && { status }) });

    expect(failureOf(error)).toEqual({ retryable, ...(status !== undefined && { status }) });
  });

  test.for([
    ['overloaded_error', true],
    ['api_error', true],
    ['rate_limit_error', true],
    ['invalid_request_error', false],
  ] as [string, boolean][])('of type %s in a stream may pass: %j', ([type, retryable]) => {
    expect(failureOf(providerError({ ...report, type }))).toEqual({ type, retryable });
  });

  test('is read from errors that carry one, and from no others', () => {
    expect(failureOf(new HitlError('MODEL_FAILED', 'x'))).toBeUndefined();
    expect(failureOf(new HitlError('MODEL_FAILED', 'x', { detail: { status: 1 } }))).toBeUndefined();
    expect(failureOf(new Error('x'))).toBeUndefined();
    expect(failureOf(undefined)).toBeUndefined();
  });
});

describe('retry-after', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  test.for<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{}, undefined],
  ])('%j waits %j ms', ([headers, ms]) => {
    expect(retryAfterOf((name) => headers[name] ?? null, now)).toBe(ms);
  });

  test('is said in whole seconds, rounded up', () => {
    expect([seconds(0), seconds(1), seconds(90_000)]).toEqual(['0 s', '1 s', '90 s']);
  });
});

describe('scrubbing (G33)', () => {
  test.for([
    ['the key is s3cr3t, twice s3cr3t', 'the key is [key], twice [key]'],
    ['sk-ant-api03-abc_DEF-123 and sk-proj-abcdefgh', '[key] and [key]'],
    ['authorization: Bearer abc.def/x=, next', 'authorization: Bearer [key], next'],
    ['X-Api-Key: abcdef', 'x-api-key: [key]'],
    ['two\nlines\t here ', 'two lines here'],
    ['task-list and risk-averse stay', 'task-list and risk-averse stay'],
  ] as [string, string][])('%j becomes %j', ([text, clean]) => {
    expect(scrub(text, ['s3cr3t', ''])).toBe(clean);
  });

  test('cuts text that is too long to read', () => {
    expect(scrub('x'.repeat(501), [])).toBe(`${'x'.repeat(500)}…`);
  });
});
