// Programs of operations as data, every single edit of them, and what an edit means for a journal.
import type { JsonValue } from '../../../../src/core/index.js';

/** One thing that a sample does. */
export type Line =
  | { readonly do: 'step'; readonly name: string; readonly of: string; readonly fails?: true }
  | { readonly do: 'ask'; readonly name: string; readonly of: string }
  | { readonly do: 'loop'; readonly times: number; readonly body: readonly Line[] }
  | { readonly do: 'attempt'; readonly body: readonly Line[]; readonly rollback: readonly Line[] }
  | {
      readonly do: 'all';
      readonly name: string;
      readonly limit?: number;
      readonly branches: Readonly<Record<string, readonly Line[]>>;
    };

const step = (name: string, of = name): Line => ({ do: 'step', name, of });
const failing = (name: string): Line => ({ do: 'step', name, of: name, fails: true });
const ask = (name: string, of = name): Line => ({ do: 'ask', name, of });
const loop = (times: number, ...body: readonly Line[]): Line => ({ do: 'loop', times, body });
const all = (name: string, branches: Readonly<Record<string, readonly Line[]>>, limit?: number): Line => ({
  do: 'all',
  name,
  branches,
  ...(limit !== undefined && { limit }),
});

export const SAMPLES: Readonly<Record<string, readonly Line[]>> = {
  order: [step('charge'), ask('ship it'), step('ship'), step('mail')],
  'deploy in rounds': [ask('go'), loop(3, step('install'), step('check')), step('announce')],
  'a person in each round': [loop(2, step('draft'), ask('good')), step('publish')],
  'two at once': [
    step('plan'),
    all('both', { left: [step('pay left'), ask('left')], right: [ask('right'), step('pay right')] }),
    step('close'),
  ],
  'one at a time': [
    all('each', { a: [ask('a'), step('pay a')], b: [step('pay b'), ask('b')], c: [step('pay c')] }, 1),
    step('sum up'),
  ],
  'branches in branches': [
    all('outer', {
      x: [all('inner', { p: [step('p1'), ask('p2')], q: [step('q1'), step('q2')] }), step('x1')],
      y: [ask('y1'), step('y2')],
    }),
  ],
  'rolled back': [
    { do: 'attempt', body: [step('book'), failing('pay')], rollback: [step('cancel booking'), ask('told')] },
    step('report'),
  ],
  'rolled back inside a branch': [
    all('ways', {
      k: [{ do: 'attempt', body: [step('try'), failing('break')], rollback: [step('undo')] }, step('k2')],
      l: [step('l1'), ask('l2'), step('l3')],
    }),
  ],
  'of one name': [step('transfer', 'ann'), step('transfer', 'bob'), ask('enough'), step('transfer', 'cid')],
  'rounds of branches': [
    loop(2, all('pair', { m: [step('m1')], n: [ask('n1'), step('n2')] })),
    ask('last'),
    step('done'),
  ],
};

/** An edit of a program. */
export interface Edit {
  readonly says: string;
  readonly lines: readonly Line[];
}

/** Every program that is one edit away: renamed, removed, inserted, swapped, with another argument, with other rounds. */
export function editsOf(lines: readonly Line[]): readonly Edit[] {
  return [
    ...lines.flatMap((line, at) => [
      ...within(line).map(({ says, line: other }) => ({ says, lines: lines.with(at, other) })),
      { says: `remove ${nameOf(line)}`, lines: lines.toSpliced(at, 1) },
    ]),
    ...lines.slice(1).map((line, at) => ({
      says: `swap ${nameOf(lines[at] ?? line)} and ${nameOf(line)}`,
      lines: lines.toSpliced(at, 2, line, lines[at] ?? line),
    })),
    ...Array.from({ length: lines.length + 1 }, (_, at) => ({
      says: `insert before ${nameOf(lines[at])}`,
      lines: lines.toSpliced(at, 0, step('inserted')),
    })),
  ];
}

function nameOf(line: Line | undefined): string {
  return line === undefined ? 'the end' : 'name' in line ? line.name : line.do;
}

function within(line: Line): readonly { readonly says: string; readonly line: Line }[] {
  const says = (what: string): string => `${what} ${nameOf(line)}`;
  switch (line.do) {
    case 'step':
    case 'ask':
      return [
        { says: says('rename'), line: { ...line, name: `${line.name} new` } },
        { says: says('another argument of'), line: { ...line, of: `${line.of} new` } },
      ];
    case 'loop':
      return [
        { says: says('one round more of'), line: { ...line, times: line.times + 1 } },
        { says: says('one round less of'), line: { ...line, times: line.times - 1 } },
        ...editsOf(line.body).map((edit) => ({ says: edit.says, line: { ...line, body: edit.lines } })),
      ];
    case 'attempt':
      return [
        ...editsOf(line.body).map((edit) => ({ says: edit.says, line: { ...line, body: edit.lines } })),
        ...editsOf(line.rollback).map((edit) => ({
          says: edit.says,
          line: { ...line, rollback: edit.lines },
        })),
      ];
    case 'all':
      return [
        { says: says('rename'), line: { ...line, name: `${line.name} new` } },
        ...Object.entries(line.branches).flatMap(([name, body]) =>
          editsOf(body).map((edit) => ({
            says: edit.says,
            line: { ...line, branches: { ...line.branches, [name]: edit.lines } },
          })),
        ),
      ];
  }
}

/** What the journal has of an operation. */
export interface Recorded {
  /** What it is asked to do: the kind, and what it is about. */
  readonly about: string;
  readonly failed: boolean;
}

/** Where the code of a strand is when the journal has nothing more for it. */
interface Strand {
  readonly at: 'fresh' | 'differs' | 'end' | 'failed';
}

/**
 * Whether a journal is one of this program, told by the program alone: each strand is followed as far as the journal goes,
 * and then nothing may be left of it.
 */
export function fits(lines: readonly Line[], journal: ReadonlyMap<string, Recorded>): boolean {
  const left = new Set(journal.keys());
  const differing: string[] = [];
  const counts = new Map<string, number>();
  const keyOf = (prefix: string, name: string): string => {
    const count = (counts.get(prefix + name) ?? 0) + 1;
    counts.set(prefix + name, count);
    return `${prefix}${name}#${count}`;
  };
  const follow = (prefix: string, body: readonly Line[]): Strand => {
    for (const line of body) {
      const end = one(prefix, line);
      if (end.at !== 'end') return end;
    }
    return { at: 'end' };
  };
  const one = (prefix: string, line: Line): Strand => {
    switch (line.do) {
      case 'step':
      case 'ask': {
        const key = keyOf(prefix, line.name);
        const known = journal.get(key);
        left.delete(key);
        if (known === undefined) return { at: 'fresh' };
        if (known.about !== aboutOf(line)) {
          differing.push(key);
          return { at: 'differs' };
        }
        return { at: known.failed ? 'failed' : 'end' };
      }
      case 'loop':
        return follow(prefix, Array.from({ length: Math.max(line.times, 0) }, () => line.body).flat());
      case 'attempt': {
        const end = follow(prefix, line.body);
        return end.at === 'failed' ? follow(prefix, line.rollback) : end;
      }
      case 'all': {
        const own = keyOf(prefix, line.name).slice(prefix.length).replace(/#1$/u, '');
        const ends = Object.entries(line.branches).map(([name, inner]) =>
          follow(`${prefix}${own}/${name}/`, inner),
        );
        return ends.find(({ at }) => at !== 'end') ?? { at: 'end' };
      }
    }
  };
  follow('', lines);
  return differing.length + left.size === 0;
}

/** What names an operation beside its key. */
function aboutOf(line: Line & { readonly do: 'step' | 'ask' }): string {
  return `${line.do} ${line.of}`;
}

/** The value of an operation. */
export function valueOf(of: string): JsonValue {
  return `${of} done`;
}
