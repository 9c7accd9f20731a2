import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { DiffLine } from '../../src/core/index.js';
import { escapeText, readDiff, withContext } from '../../src/core/index.js';
import { changedWords, pairsOf } from '../../src/human/difference/changed-words.js';
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

describe('two lines in one', () => {
  const bothOf = (before: string, after: string) => {
    const lines = diffOf(`-${before}`, `+${after}`);
    return lines.map((line) => changedWords(lines).get(line)?.both?.text)[0];
  };

  test('have the words that go before those that come, in marks that need no colours', () => {
    expect(bothOf('let a = b + c;', 'let a = b - c;')).toBe('let a = b [-+-]{+-+} c;');
    expect(bothOf('  return a;', '    return a;')).toBe('[-  -]{+    +}return a;');
    expect(bothOf('f(a)', 'f(a, b)')).toBe('f(a{+, b+})');
  });

  test.for(['[-', '-]', '{+', '+}'])('are not made of lines that have %s themselves', (mark) => {
    expect(bothOf(`let a = x; ${mark}`, `let a = y; ${mark}`)).toBeUndefined();
  });

  test('say both lines, whatever is in them', () => {
    const word = fc.constantFrom(
      'a',
      'b',
      ' ',
      '  ',
      '+',
      '-',
      '{',
      '}',
      '[',
      ']',
      '(x)',
      '；',
      '\u202e',
      '𝒳',
    );
    const line = fc.array(word, { minLength: 3, maxLength: 14 }).map((words) => words.join(''));
    fc.assert(
      fc.property(line, line, (before, after) => {
        const lines = diffOf(`-${before}`, `+${after}`);
        const both = lines.map((one) => changedWords(lines).get(one)?.both).find((one) => one !== undefined);
        if (both === undefined) return;
        const { text, removed, added } = both;
        const isIn = (spans: typeof removed, at: number): boolean =>
          spans.some(({ start, end }) => at >= start && at < end);
        const isMark = (spans: typeof removed, at: number): boolean =>
          spans.some(({ start, end }) =>
            isIn(
              [
                { start, end: start + 2 },
                { start: end - 2, end },
              ],
              at,
            ),
          );
        const without = (gone: typeof removed, kept: typeof added): string =>
          Array.from({ length: text.length }, (_, at) => at)
            .filter((at) => !isIn(gone, at) && !isMark(kept, at))
            .map((at) => text[at])
            .join('');
        expect([without(added, removed), without(removed, added)]).toEqual([
          escapeText(before),
          escapeText(after),
        ]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the lines that take each other’s place', () => {
  const pairs = (...rows: readonly string[]) =>
    pairsOf(diffOf(...rows)).map(([before, after]) => [before.text, after.text]);

  test('are those that have the most in common, where more lines come than go', () => {
    expect(
      pairs('-let a = one(x);', '-let b = two(y);', '+// new', '+let a = one(z);', '+let b = two(z);'),
    ).toEqual([
      ['let a = one(x);', 'let a = one(z);'],
      ['let b = two(y);', 'let b = two(z);'],
    ]);
  });

  test('stand in their order, whatever they are', () => {
    const line = fc.constantFrom('a b c', 'a b d', 'x y z', 'x y', 'q', 'a');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(line, { maxLength: 8 }), (before, after) => {
        fc.pre(before.length + after.length > 0);
        const lines = diffOf(...before.map((one) => `-${one}`), ...after.map((one) => `+${one}`));
        const found = pairsOf(lines).map((pair) => pair.map((one) => lines.indexOf(one)));
        const ordered = found.every(
          (pair, at) => at === 0 || pair.every((one, side) => one > (found[at - 1]?.[side] ?? 0)),
        );
        expect(ordered).toBe(true);
      }),
    );
  });
});

describe('the lines around a change', () => {
  const numbered = (...rows: readonly string[]): readonly DiffLine[] => diffOf(...rows);

  test('are counted where they are left out, also between two pieces of a diff', () => {
    const one = numbered('-a', '+b', ' c', ' d', ' e', ' f', '-g', '+h');
    expect(withContext(one, 1).map(({ type, text }) => `${type} ${text}`)).toEqual([
      'removed a',
      'added b',
      'same c',
      'gap 2 unchanged lines',
      'same f',
      'removed g',
      'added h',
    ]);
    const two = readDiff('@@ -1,3 +1,3 @@\n-a\n+b\n c\n d\n@@ -20,3 +20,3 @@\n x\n y\n-z\n+w\n')?.lines ?? [];
    expect(withContext(two, 1).map(({ type, text }) => `${type} ${text}`)).toEqual([
      'removed a',
      'added b',
      'same c',
      'gap 18 unchanged lines',
      'same y',
      'removed z',
      'added w',
    ]);
  });

  test('are none of a diff of two texts that are the same', () => {
    expect(readDiff('--- a/x\n+++ b/x\n')?.lines).toEqual([]);
    expect(readDiff('no diff\n')).toBeUndefined();
    expect(readDiff('')).toBeUndefined();
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
