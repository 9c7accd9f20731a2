import fc from 'fast-check';

import { NAMES } from './plan-world.js';
import type { Name, World } from './plan-world.js';

export interface PlanCall {
  readonly name: Name;
  readonly path: string;
  /** Left out: the schema says what it is. */
  readonly n: number | undefined;
}

/** What happens to a session. */
export type PlanStep =
  /** The model answers with these calls, and the run goes on until it rests or dies. */
  | { readonly type: 'say'; readonly calls: readonly PlanCall[]; readonly dies: Death | undefined }
  | {
      readonly type: 'answer';
      readonly which: number;
      readonly action: number;
      readonly edit: { readonly path: string; readonly n: number | undefined } | undefined;
      readonly by: 'terminal' | 'script';
      /** The other questions are answered with a plain yes. */
      readonly all: boolean;
      /** The run goes on behind it at once. */
      readonly goes: boolean;
    }
  | { readonly type: 'go'; readonly dies: Death | undefined }
  | { readonly type: 'change'; readonly change: Partial<World> }
  | { readonly type: 'wait'; readonly ms: number }
  /** Everything is written to a file, and read as the own one or as that of somebody else. */
  | { readonly type: 'import'; readonly from: 'own' | 'foreign' };

/** The process dies at the n-th record that is to be kept. */
export interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

const dies = fc.option(
  fc.record({
    at: fc.integer({ min: 1, max: 6 }),
    when: fc.constantFrom('before' as const, 'after' as const),
  }),
  { nil: undefined, freq: 2 },
);
const path = fc.constantFrom('a', 'b');
const n = fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined });

/** Everything that may happen, in any order; mostly people agree, and mostly the run goes on behind it. */
export function planSteps(maxLength = 24): fc.Arbitrary<readonly PlanStep[]> {
  const type = <Type extends PlanStep['type']>(name: Type) => fc.constant(name);
  const call = fc.record({ name: fc.constantFrom(...NAMES), path, n });
  const change: fc.Arbitrary<Partial<World>> = fc.oneof(
    fc.record({ target: fc.nat(1) }),
    fc.record({ isOdd: fc.boolean() }),
    fc.record({ isWatched: fc.boolean() }),
    fc.record({ version: fc.nat(1) }),
    fc.record({ code: fc.nat(2) }),
  );
  return fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          type: type('say'),
          calls: fc.array(call, { minLength: 1, maxLength: 3 }),
          dies,
        }),
      },
      {
        weight: 8,
        arbitrary: fc.record({
          type: type('answer'),
          which: fc.nat(2),
          action: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 3),
          edit: fc.option(fc.record({ path, n }), { nil: undefined, freq: 2 }),
          by: fc.constantFrom('terminal' as const, 'script' as const),
          all: fc.constantFrom(true, true, false),
          goes: fc.constantFrom(true, true, false),
        }),
      },
      { weight: 5, arbitrary: fc.record({ type: type('go'), dies }) },
      { weight: 4, arbitrary: fc.record({ type: type('change'), change }) },
      { weight: 2, arbitrary: fc.record({ type: type('wait'), ms: fc.constantFrom(20_000, 61_000) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          type: type('import'),
          from: fc.constantFrom('own' as const, 'foreign' as const),
        }),
      },
    ),
    { minLength: 4, maxLength, size: 'max' },
  );
}
