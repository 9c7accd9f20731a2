import { describe, expect, test } from 'vitest';

import type { Actor, Resolution, RunState } from '../../src/core/index.js';
import {
  AppendList,
  emptyState,
  interruptId,
  makeInterrupt,
  ROOT_PATH,
  toolRef,
} from '../../src/core/index.js';
import { AcceptedEdits } from '../../src/render/accepted-edits.js';
import { createTheme } from '../../src/render/index.js';
import { fails, outputs } from './story.js';

const drawing = { theme: createTheme({ colour: false }), columns: 80 };
const MODE: Actor = { type: 'rule', rule: 'mode accept-edits', from: 'this session', says: 'allows it' };
const DIFF = '--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n';

interface Decided {
  readonly path: string;
  readonly by?: Actor;
  readonly change?: string;
  readonly resolution?: Resolution;
}

/** A session in /shop in which calls were decided, the first one of `a`, the second of `b`. */
function sessionWith(...decided: readonly Decided[]): RunState {
  const all = decided.map(
    ({ path, by = MODE, change = 'replaces 4 bytes', resolution = { action: 'restart' } }, at) => {
      const ref = toolRef('abcdefghijklmnopqrstuvwxyz'.charAt(at));
      const interrupt = makeInterrupt(
        {
          kind: 'confirmation',
          source: { type: 'tool', ref, name: 'write_file', input: { path }, raisedBy: 'approval' },
          payload: { facts: { path, change }, diff: DIFF },
        },
        { id: interruptId(`i${at + 1}`), path: ROOT_PATH, raisedAt: '2026-01-02T03:05:00.000Z' },
      );
      return { interrupt, resolution, by, resolvedAt: '2026-01-02T03:06:00.000Z' };
    },
  );
  return { ...emptyState(), cwd: '/shop', resolved: AppendList.of(all) };
}

describe('what a turn changed without a question', () => {
  test('is told with how much of each file changed, and once', () => {
    const edits = new AcceptedEdits();
    const state = sessionWith({ path: '/shop/src/a.js' }, { path: '/shop/b', change: 'creates the file' });
    edits.note(outputs('a', {}), state);
    edits.note(outputs('b', {}), state);
    expect(edits.lines(drawing)).toEqual([
      'Changed without asking (accept-edits):',
      '  New b  +2 −1',
      '  Edit src/a.js  +2 −1',
    ]);
    expect(edits.lines(drawing)).toEqual([]);
  });

  test('counts several changes of one file together', () => {
    const edits = new AcceptedEdits();
    const state = sessionWith({ path: '/shop/a', change: 'creates the file' }, { path: '/shop/a' });
    edits.note(outputs('a', {}), state);
    edits.note(outputs('b', {}), state);
    expect(edits.lines(drawing)).toEqual(['Changed without asking (accept-edits):', '  New a  +4 −2']);
  });

  test('is nothing that failed, that a person approved or that another rule allowed', () => {
    const edits = new AcceptedEdits();
    const state = sessionWith(
      { path: '/shop/a' },
      { path: '/shop/b', by: { type: 'person', name: 'ann', via: 'terminal' } },
      { path: '/shop/c', by: { type: 'rule', rule: 'allow write_file' } },
    );
    edits.note(fails('a', 'disk full'), state);
    edits.note(outputs('b', {}), state);
    edits.note(outputs('c', {}), state);
    expect(edits.lines(drawing)).toEqual([]);
  });

  test('names a file with signs that a terminal obeys as it is safe', () => {
    const edits = new AcceptedEdits();
    edits.note(outputs('a', {}), sessionWith({ path: '/shop/\u001b[2Ja\nb' }));
    expect(edits.lines(drawing)[1]).toBe('  Edit \\u{1B}[2Ja\\nb  +2 −1');
  });

  test('names the first twenty files and counts the rest', () => {
    const edits = new AcceptedEdits();
    const paths = Array.from({ length: 23 }, (_, at) => ({ path: `/shop/${String(at)}` }));
    const state = sessionWith(...paths);
    for (const letter of 'abcdefghijklmnopqrstuvw') edits.note(outputs(letter, {}), state);
    const lines = edits.lines(drawing);
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('  and 3 more (/diff shows all)');
  });
});
