import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { FileBefore, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { toolRef } from '../../src/core/index.js';
import type { ChangedFile, FileStep, FoundFile } from '../../src/repl/index.js';
import { changedFiles, fileStep } from '../../src/repl/index.js';

type Content = string | null;

/** What happens to files: by a call, which may not have come to its end, by a person who goes back, or by others. */
type Happening =
  | { readonly by: 'call' | 'person'; readonly path: string; readonly to: Content; readonly ends: End }
  | { readonly by: 'others'; readonly path: string; readonly to: Content };

/** `refused`: nothing was written. `cut`: the process ended before the write, `written`: after it. */
type End = 'done' | 'refused' | 'cut' | 'written';

const path = fc.constantFrom('/w/a', '/w/b');
const content: fc.Arbitrary<Content> = fc.constantFrom('1', '2', '3', '4', null);
const happenings = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        by: fc.constantFrom<'call' | 'person'>('call', 'person'),
        path,
        to: content,
        ends: fc.constantFrom<End>('done', 'done', 'refused', 'cut', 'written'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ by: fc.constant('others' as const), path, to: content }) },
  ),
  { maxLength: 12 },
);

const before = (found: Content): FileBefore =>
  found === null ? { type: 'absent' } : { type: 'copied', sha256: found, bytes: 1, mode: 0o644 };

/** A folder of a few files, and the journal of what was done to them. */
class World {
  readonly files = new Map<string, Content>();
  readonly events: StoredEvent[] = [];

  at(name: string): Content {
    return this.files.get(name) ?? null;
  }

  append(...events: readonly SessionEvent[]): void {
    for (const event of events)
      this.events.push({ v: 2, seq: this.events.length + 1, at: '', scope: '' as never, event });
  }

  happens(one: Happening): void {
    if (one.by === 'others') {
      this.files.set(one.path, one.to);
      return;
    }
    const ref = toolRef(`r${this.events.length}`);
    const noted = {
      type: 'file-noted',
      path: one.path,
      before: before(this.at(one.path)),
      after: one.to,
    } as const;
    this.append(one.by === 'call' ? { ...noted, ref } : noted);
    if (one.ends === 'done' || one.ends === 'written') this.files.set(one.path, one.to);
    if (one.by === 'person') return;
    if (one.ends === 'done')
      this.append({ type: 'tool-settled', ref, outcome: { type: 'output', output: null } });
    if (one.ends === 'refused')
      this.append({ type: 'tool-settled', ref, outcome: { type: 'error', code: 'failed', message: '' } });
  }

  found(name: string): FoundFile {
    const now = this.at(name);
    return now === null ? { type: 'absent' } : { type: 'file', sha256: now };
  }

  plan(since: number, overwrite = false): readonly FileStep[] {
    return changedFiles(this.events, since).map((file) =>
      fileStep(file, this.found(file.path), { overwrite }),
    );
  }

  /** Brings files back, as a process does that ends after so many events and writes. */
  bringBack(steps: readonly FileStep[], room = Infinity): void {
    let left = room;
    for (const step of steps) {
      if (step.what === 'left' || step.what === 'same') continue;
      const to = step.what === 'remove' ? null : step.sha256;
      if (left-- <= 0) return;
      this.append({ type: 'file-noted', path: step.path, before: before(this.at(step.path)), after: to });
      if (left-- <= 0) return;
      this.files.set(step.path, to);
    }
  }

  snapshot(): readonly (readonly [string, Content])[] {
    return [...this.files].sort();
  }
}

function worldOf(
  all: readonly Happening[],
  point: number,
): { readonly world: World; readonly since: number } {
  const world = new World();
  world.files.set('/w/a', '1');
  let since = 1;
  for (const [at, one] of all.entries()) {
    if (at === point) since = world.events.length + 1;
    world.happens(one);
  }
  return { world, since: point >= all.length ? world.events.length + 1 : since };
}

/** The content of a file before the first of our changes since the point; `undefined` if there was none. */
function wanted(events: readonly StoredEvent[], since: number, name: string): Content | undefined {
  const first = events.find(
    ({ seq, event }) => seq >= since && event.type === 'file-noted' && event.path === name,
  )?.event;
  if (first?.type !== 'file-noted') return undefined;
  return first.before.type === 'copied' ? first.before.sha256 : null;
}

describe('files that are brought back', () => {
  test('are what they were before the first change; one that others changed last stays, and nothing else is touched', () => {
    fc.assert(
      fc.property(happenings, fc.nat(12), (all, point) => {
        const { world, since } = worldOf(all, point);
        const were = new Map(world.files);
        const steps = world.plan(since);
        world.bringBack(steps);
        for (const name of ['/w/a', '/w/b']) {
          const step = steps.find((one) => one.path === name);
          const target = wanted(world.events, since, name);
          expect(step === undefined).toBe(target === undefined);
          const isLeft = step === undefined || step.what === 'left';
          expect(world.at(name)).toBe(isLeft ? (were.get(name) ?? null) : target);
        }
      }),
    );
  });

  test('are left exactly where the last word was not ours', () => {
    fc.assert(
      fc.property(happenings, fc.nat(12), (all, point) => {
        const { world, since } = worldOf(all, point);
        for (const step of world.plan(since)) {
          const own = all.findLastIndex((one) => one.path === step.path && one.by !== 'others');
          const others = all.findLastIndex((one) => one.path === step.path && one.by === 'others');
          if (others < own) expect(step.what).not.toBe('left');
          else if (step.what !== 'left' && step.what !== 'same') {
            // Others made it again what our last change found or left.
            const last = changedFiles(world.events, since).find((file) => file.path === step.path);
            expect(last?.ours).toContain(world.at(step.path));
          }
        }
      }),
    );
  });

  test('are the same where the process ends anywhere in between and it is done again; a second time changes nothing', () => {
    fc.assert(
      fc.property(happenings, fc.nat(12), fc.nat(6), (all, point, room) => {
        const whole = worldOf(all, point);
        whole.world.bringBack(whole.world.plan(whole.since));
        const { world, since } = worldOf(all, point);
        world.bringBack(world.plan(since), room);
        world.bringBack(world.plan(since));
        expect(world.snapshot()).toEqual(whole.world.snapshot());
        const events = world.events.length;
        world.bringBack(world.plan(since));
        expect(world.events).toHaveLength(events);
      }),
    );
  });

  test('are all brought back where a person says so', () => {
    fc.assert(
      fc.property(happenings, fc.nat(12), (all, point) => {
        const { world, since } = worldOf(all, point);
        world.bringBack(world.plan(since, true));
        for (const name of ['/w/a', '/w/b']) {
          const target = wanted(world.events, since, name);
          if (target !== undefined) expect(world.at(name)).toBe(target);
        }
      }),
    );
  });
});

const FILE: ChangedFile = {
  path: '/w/a',
  before: before('1'),
  ours: ['2'],
  isMixed: false,
  isHidden: false,
  isForeign: false,
  calls: [],
};
const NOW: FoundFile = { type: 'file', sha256: '2' };
const left = (why: object): object => ({ path: '/w/a', what: 'left', left: why });

describe('a file', () => {
  test.for([
    [{ isForeign: true }, NOW, left({ type: 'foreign' })],
    [{ before: { type: 'unkept', why: 'secret' } }, NOW, left({ type: 'unkept', why: 'secret' })],
    [{}, { type: 'elsewhere', why: 'a link' }, left({ type: 'elsewhere', why: 'a link' })],
    [{}, { type: 'file', sha256: '3' }, left({ type: 'changed' })],
    [{}, { type: 'absent' }, left({ type: 'changed' })],
    [{}, { type: 'file', sha256: '1' }, { path: '/w/a', what: 'same' }],
    [{}, NOW, { path: '/w/a', what: 'restore', sha256: '1', mode: 0o644, isMixed: false }],
    [{ before: { type: 'absent' } }, NOW, { path: '/w/a', what: 'remove', isMixed: false }],
  ] as const)('%j that is %j now: %j', ([given, found, step]) => {
    expect(fileStep({ ...FILE, ...given }, found)).toEqual(step);
  });

  test('of a foreign journal, or without a copy, is left even where a person says to overwrite', () => {
    for (const given of [{ isForeign: true }, { before: { type: 'unkept', why: 'large' } as const }])
      expect(fileStep({ ...FILE, ...given }, NOW, { overwrite: true }).what).toBe('left');
  });

  test('whose new content may hold a secret is nobody’s: it is left', () => {
    const { world } = worldOf([], 0);
    world.append({ type: 'file-noted', ref: toolRef('r1'), path: '/w/a', before: before('1') });
    world.append({ type: 'tool-settled', ref: toolRef('r1'), outcome: { type: 'output', output: null } });
    expect(changedFiles(world.events, 1)).toEqual([{ ...FILE, ours: [], isHidden: true, calls: [' r1'] }]);
  });

  test('that something else changed between two of our changes says so', () => {
    const { world } = worldOf(
      [
        { by: 'call', path: '/w/a', to: '2', ends: 'done' },
        { by: 'others', path: '/w/a', to: '3' },
        { by: 'call', path: '/w/a', to: '4', ends: 'done' },
      ],
      0,
    );
    expect(world.plan(1)).toEqual([
      { path: '/w/a', what: 'restore', sha256: '1', mode: 0o644, isMixed: true },
    ]);
  });

  test('that two calls try to change at once is ours, whichever of them did', () => {
    for (const [wins, now] of [
      ['r1', '2'],
      ['r2', '3'],
    ] as const) {
      const { world } = worldOf([], 0);
      for (const [ref, after] of [
        ['r1', '2'],
        ['r2', '3'],
      ] as const)
        world.append({ type: 'file-noted', ref: toolRef(ref), path: '/w/a', before: before('1'), after });
      for (const ref of ['r1', 'r2']) {
        const outcome =
          ref === wins
            ? ({ type: 'output', output: null } as const)
            : ({ type: 'error', code: 'failed', message: '' } as const);
        world.append({ type: 'tool-settled', ref: toolRef(ref), outcome });
      }
      world.files.set('/w/a', now);
      expect(world.plan(1)).toEqual([
        { path: '/w/a', what: 'restore', sha256: '1', mode: 0o644, isMixed: false },
      ]);
    }
  });
});
