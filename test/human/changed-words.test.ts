import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { DiffLine } from '../../src/core/index.js';
import { escapeText, readDiff } from '../../src/core/index.js';
import { changedWords } from '../../src/human/difference/changed-words.js';
import { codeSpans } from '../../src/human/look/highlight-code.js';

const diffOf = (...rows: readonly string[]): readonly DiffLine[] =>
  readDiff(`@@ -1,9 +1,9 @@\n${rows.join('\n')}\n`)?.lines ?? [];

/** The pieces that are set off, by the sign of their line. */
function setOff(...rows: readonly string[]) {
  const lines = diffOf(...rows);
  const found = changedWords(lines);
  return lines.map((line) => {
    const spans = found.get(line)?.[line.type === 'removed' ? 'removed' : 'added'] ?? [];
    return spans.map(({ start, end }) => escapeText(line.text).slice(start, end));
  });
}

describe('the words of a line that changed', () => {
  test('are those that the line in its place has not, and the other way round', () => {
    expect(setOff('-  return round(gross - discount);', '+  return round(net - discount);')).toEqual([
      ['gross'],
      ['net'],
    ]);
  });

  test('are told in words as well', () => {
    const lines = diffOf('-let a = 1;', '-return a + b;', '+let a = 2;', '+return a;');
    expect(lines.map((line) => changedWords(lines).get(line)?.words)).toEqual([
      ['“1” → “2”'],
      ['“+ b” removed'],
      ['“1” → “2”'],
      ['“+ b” removed'],
    ]);
  });

  test('are none where the lines have little in common, are too long, or have no partner', () => {
    const long = 'x '.repeat(300);
    expect(
      setOff('-one two three', '+four five six', ' same', `-${long}a`, `+${long}b`, ' same', '+new'),
    ).toEqual(Array.from({ length: 7 }, () => []));
  });

  test('are places within the escaped text, whatever the lines are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('-', '+', ' '), fc.string({ unit: 'binary' }))),
        (rows) => {
          const lines = diffOf(...rows.map(([sign, text]) => sign + text.replace(/[\n\r]/g, ' ')));
          for (const [line, { removed, added }] of changedWords(lines)) {
            const { length } = escapeText(line.text);
            const spans = line.type === 'removed' ? removed : added;
            expect(spans.filter(({ start, end }) => start < 0 || start >= end || end > length)).toEqual([]);
          }
        },
      ),
    );
  });
});

describe('what the pieces of code are', () => {
  test('is told by places in each line', () => {
    const lines = ['const a = "x"; // hm', 'let b = 12;'];
    const shown = codeSpans(lines, 'src/a.js').map((spans, at) =>
      spans.map(({ start, end, kind }) => `${kind} ${lines[at]?.slice(start, end) ?? ''}`),
    );
    expect(shown).toEqual([
      ['keyword const', 'string "x"', 'comment // hm'],
      ['keyword let', 'number 12'],
    ]);
  });

  test('goes over lines where a piece does', () => {
    expect(codeSpans(['/* one', 'two */'], 'a.ts')).toEqual([
      [{ start: 0, end: 6, kind: 'comment' }],
      [{ start: 0, end: 6, kind: 'comment' }],
    ]);
  });

  test('is not known of a file of another kind', () => {
    expect(codeSpans(['const a'], 'a.constructor')).toEqual([]);
    expect(codeSpans(['const a'], 'Makefile')).toEqual([]);
  });

  test('is places within the lines, whatever the text and its language are', () => {
    const file = fc.constantFrom('a.js', 'a.py', 'a.md', 'a.html', 'a.sh', 'a.yaml', 'a.json');
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), file, (texts, name) => {
        const lines = texts.map((text) => escapeText(text));
        codeSpans(lines, name).forEach((spans, at) => {
          const length = lines[at]?.length ?? 0;
          expect(spans.filter(({ start, end }) => start < 0 || start >= end || end > length)).toEqual([]);
        });
      }),
    );
  });
});
