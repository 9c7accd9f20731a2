import fc from 'fast-check';

/** What one reply of the model is. */
export type FuzzReply =
  | { readonly type: 'text'; readonly isCut: boolean }
  | { readonly type: 'calls'; readonly calls: readonly FuzzCall[]; readonly isCut: boolean };

export interface FuzzCall {
  /** `missing` is no tool. */
  readonly tool: 'pay' | 'send' | 'note' | 'look' | 'ask' | 'broken' | 'missing';
  /** 0 does not fit the tools’ schema. */
  readonly amount: number;
}

/** What goes wrong while a step works. */
export type Trouble =
  | { readonly type: 'none' }
  /** Death at the n-th operation of the disk; `power`: what was not flushed is lost. */
  | { readonly type: 'kill'; readonly at: number; readonly when: 'before' | 'after'; readonly power: boolean }
  /** Death inside the body of a tool, before or after its effect. */
  | { readonly type: 'kill-in-tool'; readonly when: 'before' | 'after'; readonly power: boolean }
  | { readonly type: 'full'; readonly at: number; readonly sticky: boolean; readonly errno: string }
  | { readonly type: 'short'; readonly at: number }
  /** Ctrl-C after so many events were shown. */
  | { readonly type: 'stop'; readonly after: number };

/** What a person or another process does. */
export type Step =
  | { readonly type: 'say'; readonly replies: readonly FuzzReply[]; readonly trouble: Trouble }
  /** Answers what is open, `count` of it, beginning with `which`; `amount` edits the input where it is given. */
  | {
      readonly type: 'answer';
      readonly which: number;
      readonly count: number;
      readonly action: number;
      readonly amount: number | undefined;
      readonly by: 'here' | 'posted' | 'both';
      readonly trouble: Trouble;
    }
  /** Answers what was answered already, what never was, and what was shown with another input. */
  | { readonly type: 'wrong-answer'; readonly which: number }
  | { readonly type: 'second-process' }
  /** The clock is set to so many milliseconds since 1970. */
  | { readonly type: 'clock'; readonly to: number }
  | { readonly type: 'resume'; readonly trouble: Trouble };

function troubles(): fc.Arbitrary<Trouble> {
  const at = fc.integer({ min: 1, max: 25 });
  const when = fc.constantFrom('before' as const, 'after' as const);
  const power = fc.boolean();
  const errno = fc.constantFrom('ENOSPC', 'EIO', 'EDQUOT', 'EROFS', 'EMFILE');
  const type = <Type extends Trouble['type']>(name: Type) => fc.constant(name);
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: type('none') }) },
    { weight: 3, arbitrary: fc.record({ type: type('kill'), at, when, power }) },
    { weight: 4, arbitrary: fc.record({ type: type('kill-in-tool'), when, power }) },
    { weight: 2, arbitrary: fc.record({ type: type('full'), at, sticky: fc.boolean(), errno }) },
    { weight: 1, arbitrary: fc.record({ type: type('short'), at }) },
    { weight: 1, arbitrary: fc.record({ type: type('stop'), after: fc.nat(12) }) },
  );
}

function replies(): fc.Arbitrary<readonly FuzzReply[]> {
  const call: fc.Arbitrary<FuzzCall> = fc.record({
    tool: fc.constantFrom('pay', 'pay', 'send', 'note', 'look', 'ask', 'broken', 'missing'),
    amount: fc.nat(3),
  });
  const isCut = fc.integer({ min: 0, max: 7 }).map((number) => number === 7);
  return fc.array(
    fc.oneof(
      { weight: 1, arbitrary: fc.record({ type: fc.constant('text' as const), isCut }) },
      {
        weight: 3,
        arbitrary: fc.record({
          type: fc.constant('calls' as const),
          calls: fc.array(call, { minLength: 1, maxLength: 3 }),
          isCut,
        }),
      },
    ),
    { minLength: 1, maxLength: 3 },
  );
}

/** Everything that may happen to a session, in any order. */
export function sessionSteps(maxLength = 14): fc.Arbitrary<readonly Step[]> {
  const trouble = troubles();
  const type = <Type extends Step['type']>(name: Type) => fc.constant(name);
  return fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ type: type('say'), replies: replies(), trouble }) },
      {
        weight: 6,
        arbitrary: fc.record({
          type: type('answer'),
          which: fc.nat(3),
          count: fc.constantFrom(1, 3, 3),
          action: fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5),
          amount: fc.option(fc.nat(3), { nil: undefined }),
          by: fc.constantFrom('here' as const, 'here' as const, 'posted' as const, 'both' as const),
          trouble,
        }),
      },
      { weight: 1, arbitrary: fc.record({ type: type('wrong-answer'), which: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ type: type('second-process') }) },
      { weight: 2, arbitrary: fc.record({ type: type('resume'), trouble }) },
      {
        weight: 1,
        arbitrary: fc.record({ type: type('clock'), to: fc.constantFrom(0, 1e12, Date.UTC(2106, 1)) }),
      },
    ),
    // Long ones: little happens in the first steps of a session.
    { minLength: 1, maxLength, size: 'max' },
  );
}
