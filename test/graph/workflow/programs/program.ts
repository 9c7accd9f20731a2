// Random programs of operations, as data: what runs them is the code form, and a reference that knows no journal.
import fc from 'fast-check';

/** One thing that a program does. Names are unique in a program, but for those of a loop. */
export type Part =
  | { readonly do: 'step'; readonly name: string; readonly effect: 'once' | 'none'; readonly fails: boolean }
  | { readonly do: 'ask' | 'sleep' | 'event'; readonly name: string }
  | { readonly do: 'loop'; readonly times: number; readonly body: readonly Part[] }
  | { readonly do: 'attempt'; readonly body: readonly Part[]; readonly rollback: readonly Part[] }
  | {
      readonly do: 'all' | 'any' | 'race' | 'settled';
      readonly name: string;
      readonly branches: Readonly<Record<string, readonly Part[]>>;
    };

/** A program before its parts have names. */
type Shape =
  | { readonly do: 'step'; readonly once: boolean; readonly fails: boolean }
  | { readonly do: 'ask' | 'sleep' | 'event' }
  | { readonly do: 'loop'; readonly times: number; readonly body: readonly Shape[] }
  | { readonly do: 'attempt'; readonly body: readonly Shape[]; readonly rollback: readonly Shape[] }
  | { readonly do: 'all' | 'any' | 'race' | 'settled'; readonly branches: readonly (readonly Shape[])[] };

const leaf: fc.Arbitrary<Shape> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('step' as const),
      once: fc.boolean(),
      fails: fc.nat({ max: 4 }).map((n) => n === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('ask' as const, 'sleep' as const, 'event' as const) }),
  },
);

function parts(depth: number, most: number): fc.Arbitrary<readonly Shape[]> {
  return fc.array(part(depth), { minLength: 1, maxLength: most });
}

function part(depth: number): fc.Arbitrary<Shape> {
  if (depth === 0) return leaf;
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('all' as const, 'any' as const, 'race' as const, 'settled' as const),
        branches: fc.array(parts(depth - 1, 2), { minLength: 2, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('loop' as const),
        times: fc.integer({ min: 1, max: 2 }),
        body: parts(depth - 1, 2),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('attempt' as const),
        body: parts(depth - 1, 2),
        rollback: parts(0, 2),
      }),
    },
  );
}

/** Programs that are nested up to four deep. */
export const programs: fc.Arbitrary<readonly Part[]> = fc
  .integer({ min: 1, max: 4 })
  .chain((depth) => parts(depth, 3))
  .map((shapes) => {
    let count = 0;
    const named = (shape: Shape): Part => {
      count += 1;
      const name = `${shape.do.charAt(0)}${count}`;
      switch (shape.do) {
        case 'step':
          return { do: 'step', name, effect: shape.once ? 'once' : 'none', fails: shape.fails };
        case 'ask':
        case 'sleep':
        case 'event':
          return { do: shape.do, name };
        case 'loop':
          return { do: 'loop', times: shape.times, body: shape.body.map(named) };
        case 'attempt':
          return { do: 'attempt', body: shape.body.map(named), rollback: shape.rollback.map(named) };
        case 'all':
        case 'any':
        case 'race':
        case 'settled':
          return {
            do: shape.do,
            name: `g${count}`,
            branches: Object.fromEntries(shape.branches.map((body, at) => [`k${at}`, body.map(named)])),
          };
      }
    };
    return shapes.map(named);
  });
