import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { keepMarks, markOf, readMarks, seenUntil } from '../../commands/report/review-marks.js';
import type { SessionId, StoredEvent } from '../../src/core/index.js';
import { userSaid } from '../helpers/events.js';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hitl-marks-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const place = (): { env: Record<string, string>; home: string } => ({ env: { HITL_HOME: home }, home });
const file = (): string => join(home, 'reviewed.json');
const id = (name: string): SessionId => name as SessionId;
const said = (seq: number, text: string): StoredEvent => ({
  ...{ v: 2, seq, at: `2026-01-0${seq}T00:00:00.000Z`, scope: '' as StoredEvent['scope'] },
  event: userSaid(text),
});
const AT = '2026-01-02T00:00:00.000Z';
const PAST = [said(1, 'hello'), said(2, 'again'), said(3, 'more')];

describe('marks of what was seen', () => {
  test('are none without a file, and then those that were kept, for their owner alone', async () => {
    expect(await readMarks(place())).toEqual({ marks: new Map() });
    const [, second = said(0, '')] = PAST;
    const [one, two] = [markOf(second, AT), { seq: 7, digest: 'd', updatedAt: AT }];
    await keepMarks(place(), new Map([[id('s1'), one]]));
    await keepMarks(place(), new Map([[id('s2'), two]]));
    expect(await readMarks(place())).toEqual({ marks: new Map([['s1', one], ['s2', two]]) }); // prettier-ignore
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('of which the oldest sessions go first where there are too many', async () => {
    const mark = { seq: 1, digest: 'd', updatedAt: AT };
    const ids = Array.from({ length: 4_001 }, (_, at) => id(`s${String(at).padStart(5, '0')}`));
    await keepMarks(place(), new Map(ids.map((one) => [one, mark])));
    const { marks } = await readMarks(place());
    expect([marks.size, marks.has('s00000'), marks.has('s04000')]).toEqual([4_000, false, true]);
  });

  test.for([
    ['is no JSON', '{'],
    ['is empty', ''],
    ['has another version', '{"version":2,"sessions":{}}'],
    ['has more', '{"version":1,"sessions":{},"more":1}'],
    ['has a mark without a digest', '{"version":1,"sessions":{"s1":{"seq":1,"updatedAt":"x"}}}'],
    [
      'has a number of another kind',
      '{"version":1,"sessions":{"s1":{"seq":1.5,"digest":"d","updatedAt":"x"}}}',
    ],
  ] as const)('are none where the file %s, and it says so', async ([, text]) => {
    writeFileSync(file(), text, { mode: 0o600 });
    expect(await readMarks(place())).toEqual({
      marks: new Map(),
      problem: `warning: cannot read ${file()}, so no calls are marked as seen`,
    });
  });

  test('are none in a file that others can read, or that is a link', async () => {
    await keepMarks(place(), new Map([[id('s1'), { seq: 1, digest: 'd', updatedAt: AT }]]));
    chmodSync(file(), 0o644);
    expect((await readMarks(place())).problem).toContain('cannot read');
    const text = readFileSync(file(), 'utf8');
    rmSync(file());
    writeFileSync(join(home, 'other.json'), text, { mode: 0o600 });
    symlinkSync(join(home, 'other.json'), file());
    expect((await readMarks(place())).marks.size).toBe(0);
  });
});

describe('a mark', () => {
  const [, second = said(0, '')] = PAST;

  test('says how far a history was looked at', () => {
    expect(seenUntil(markOf(second, AT), PAST)).toBe(2);
    expect(seenUntil(undefined, PAST)).toBe(0);
  });

  test('counts for no other history, and for no shorter one', () => {
    const other = [said(1, 'hello'), said(2, 'something else'), said(3, 'more')];
    expect([seenUntil(markOf(second, AT), other), seenUntil(markOf(second, AT), PAST.slice(0, 1))]).toEqual([
      0, 0,
    ]);
  });
});
