import fc from 'fast-check';

/** What stands where something else is expected, and still is JSON. */
export const ODD_JSON: readonly unknown[] = [null, true, 5, -1, 0.5, '', 'x', [], [null], {}, { a: 1 }];

/** What only a program can hand over. */
export const NO_JSON: readonly unknown[] = [
  undefined,
  () => 1,
  10n,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  new Date(0),
  Symbol('s'),
  new Map(),
];

type Path = readonly (string | number)[];

function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const members = Object.entries(value).map(([key, member]): [string | number, unknown] => [
    Array.isArray(value) ? Number(key) : key,
    member,
  ]);
  return [at, ...members.flatMap(([key, member]) => pathsOf(member, [...at, key]))];
}

function replaced(value: unknown, path: Path, by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  const members = value as Readonly<Record<string, unknown>>;
  return { ...members, [key]: replaced(members[key], rest, by) };
}

/** Every value with exactly one place in which something else stands, or nothing any more. */
export function* damages(value: unknown, odd: readonly unknown[]): Generator {
  for (const path of pathsOf(value)) for (const by of odd) yield replaced(value, path, by);
}

/** A value with one to three places in which something else stands than did, or nothing any more. */
export function damaged(value: unknown, odd: readonly unknown[]): fc.Arbitrary<unknown> {
  const one = (whole: unknown): fc.Arbitrary<unknown> =>
    fc
      .tuple(fc.constantFrom(...pathsOf(whole)), fc.constantFrom(...odd))
      .map(([path, by]) => replaced(whole, path, by));
  return one(value).chain((first) => fc.oneof(fc.constant(first), one(first), one(first).chain(one)));
}
