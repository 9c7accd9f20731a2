import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ApprovalPolicy } from '../../src/core/index.js';
import {
  approversOf,
  approversProblem,
  bothApprovers,
  isForNobody,
  NOBODY,
  policyWords,
  readApprovers,
  splitApproval,
} from '../../src/core/index.js';

describe('the people of a question', () => {
  test('are those whom both name, where two say so', () => {
    expect(bothApprovers({ need: 2, from: ['ann', 'bob'] }, { from: ['bob', '@ops'] })).toEqual({
      ...NOBODY,
    });
    expect(
      bothApprovers({ from: ['ann', 'bob', '@ops'] }, { need: 2, from: ['bob', '@ops', 'cyd'] }),
    ).toEqual({
      need: 2,
      from: ['@ops', 'bob'],
    });
    expect(bothApprovers({ from: ['ann'] }, { from: ['bob'], notRequester: true })).toEqual(NOBODY);
    expect(bothApprovers({ issuers: ['local', 'tokens'] }, { need: 2, issuers: ['tokens'] })).toEqual({
      need: 2,
      issuers: ['tokens'],
    });
    expect(bothApprovers({ issuers: ['local'] }, { issuers: ['tokens'] })).toEqual(NOBODY);
  });

  test.for([
    [true, false, true],
    [true, undefined, true],
    [false, undefined, false],
  ] as const)('leave out whoever asked as the stricter says: %j and %j are %j', ([one, other, both]) => {
    const of = (notRequester?: boolean): ApprovalPolicy => ({
      need: 2,
      ...(notRequester !== undefined && { notRequester }),
    });
    expect(bothApprovers(of(one), of(other))?.notRequester).toBe(both);
    expect(bothApprovers(of(other), of(one))?.notRequester).toBe(both);
  });

  const names = ['ann', 'bob', 'cyd', '@ops', '@leads'];
  const policies = fc
    .record(
      {
        need: fc.integer({ min: 1, max: 3 }),
        from: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
        notRequester: fc.boolean(),
        issuers: fc.uniqueArray(fc.constantFrom('local', 'tokens', 'https://id'), { minLength: 1 }),
      },
      { requiredKeys: [] },
    )
    .filter((policy) => approversProblem(policy) === undefined);

  test('of several who say so are the same in any order, and each has what it wants', () => {
    fc.assert(
      fc.property(policies, policies, policies, (one, other, third) => {
        const sorted = (policy?: ApprovalPolicy) => ({
          ...policy,
          ...(policy?.from && { from: [...policy.from].sort() }),
          ...(policy?.issuers && { issuers: [...policy.issuers].sort() }),
        });
        const all = bothApprovers(bothApprovers(one, other), third);
        expect(sorted(bothApprovers(third, bothApprovers(other, one)))).toEqual(sorted(all));
        if (all !== undefined && isForNobody(all)) return;
        for (const { need = 1, from, notRequester = false } of [one, other, third]) {
          expect(all?.need ?? 1).toBeGreaterThanOrEqual(need);
          if (notRequester) expect(all?.notRequester).toBe(true);
          if (from !== undefined) expect(all?.from?.filter((name) => !from.includes(name))).toEqual([]);
        }
      }),
    );
  });

  test.for([
    ['pay needs 2', 'pay', { need: 2 }],
    ['pay needs 2 people', 'pay', { need: 2 }],
    ['pay needs 2 of @ops, not whoever asked', 'pay', { need: 2, from: ['@ops'], notRequester: true }],
    ['pay {"to":"x"} needs 1 of ann, bob', 'pay {"to":"x"}', { from: ['ann', 'bob'] }],
    ['run_command git push needs 1, not whoever asked', 'run_command git push', { notRequester: true }],
    ['pay needs 1, also whoever asked', 'pay', { notRequester: false }],
    [
      'pay needs 2 of @ops through local, https://id.example.org, not whoever asked',
      'pay',
      { need: 2, from: ['@ops'], notRequester: true, issuers: ['local', 'https://id.example.org'] },
    ],
    ['pay needs 2 through tokens', 'pay', { need: 2, issuers: ['tokens'] }],
    ['pay needs 2 people through slack:T1, tokens', 'pay', { need: 2, issuers: ['slack:T1', 'tokens'] }],
    ['pay needs 2 people through slack:T1 tokens', 'pay', NOBODY],
    ['pay needs 2 through token', 'pay', NOBODY],
    ['pay {"memo":"it needs 2"}', 'pay {"memo":"it needs 2"}', undefined],
    ["run_command echo 'needs' 2", "run_command echo 'needs' 2", undefined],
    ['pay needs two', 'pay', NOBODY],
    ['pay needs 0', 'pay', NOBODY],
    ['pay needs 3 of ann, bob', 'pay', NOBODY],
    ['pay needs 2 of', 'pay', NOBODY],
  ] as const)('are read from the words of a rule: %s', ([text, before, approvers]) => {
    const { problem, ...split } = splitApproval(text);
    expect(split).toEqual({ before, ...(approvers !== undefined && { approvers }) });
    expect(problem === undefined).toBe(approvers !== NOBODY);
    if (approvers === undefined || problem !== undefined) return;
    expect(splitApproval(`${before} ${policyWords(approvers)}`)).toEqual(split);
  });

  test.for([
    ['pay lasts 15m', { before: 'pay', approvalLasts: '15m' }],
    [
      'pay needs 2 of @ops, lasts 1h30m',
      { before: 'pay', approvers: { need: 2, from: ['@ops'] }, approvalLasts: '1h30m' },
    ],
    ['pay {"to":"x"} lasts 2h', { before: 'pay {"to":"x"}', approvalLasts: '2h' }],
    ["run_command echo 'lasts' 5m", { before: "run_command echo 'lasts' 5m" }],
    ['pay {"memo":"it lasts 5m"}', { before: 'pay {"memo":"it lasts 5m"}' }],
    ['pay lasts long', { before: 'pay', problem: '`lasts long`: write a duration such as 15m, 2h or 1d' }],
  ] as const)('are read with the time of an approval: %s', ([text, split]) => {
    expect(splitApproval(text)).toEqual(split);
  });

  test.for([
    [
      { need: 2, from: ['@ops'] },
      { need: 2, from: ['@ops'] },
    ],
    [{ need: 1 }, undefined],
    [undefined, undefined],
    ['bob', NOBODY],
    [{ need: 0 }, NOBODY],
    [{ who: 'bob' }, NOBODY],
  ] as const)('are read where %j was kept, and are nobody where that is none of it', ([kept, read]) => {
    expect(readApprovers(kept as never)).toEqual(read);
  });

  test.for([
    [{ need: 0 }, '`need` must be 1..20, got 0'],
    [{ need: 1.5 }, '`need` must be 1..20, got 1.5'],
    [{ from: [] }, '`from` must list 1..100 people, or groups such as `@ops`'],
    [{ need: 3, from: ['ann', 'bob', 'ann'] }, '3 approvers are needed, but `from` lists 2'],
    [
      { issuers: ['terminal'] },
      '`issuers` must list 1..100 issuers: `local`, `tokens`, `slack`, or a URL such as `https://id.example.org`',
    ],
    [{ issuers: [] }, '`issuers` must list'],
    [{ needs: 2 }, 'unknown property `needs` of `approvers`'],
  ] as const)('%j are refused where they are written', ([given, why]) => {
    expect(() => approversOf(given as ApprovalPolicy)).toThrow(why);
  });
});
