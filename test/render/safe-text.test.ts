import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { safeJson } from '../../src/core/index.js';
import { safeText } from '../../src/render/index.js';
import { triesAll } from '../helpers/kill-points.js';
import { hostileText, rawParts } from './hostile.js';

describe('text of a model', () => {
  test.for<[string, string]>([
    ['line breaks and deep indentation', 'a\n    b\n            c'],
    ['backslashes', 'C:\\temp\\n'],
    ['families, skin tones and flags', '👩‍👩‍👧 👍🏽 🇩🇪 ❤️ ✔︎ 1️⃣'],
    ['joiners between letters that need them', 'می\u200Cخواهم क्\u200Dष'],
    ['letters with marks', 'é ä̱ ไทย हिन्दी'],
    ['typographic signs after backslashes', 'C:\\“été” – it’s\n\\…'],
  ])('keeps %s', ([, text]) => {
    expect(safeText(text)).toBe(text);
  });

  test.for<[string, string, string]>([
    ['an escape sequence', 'a\u001B[31mb', 'a\\u{1B}[31mb'],
    ['a carriage return', 'safe\rrm -rf /', 'safe\\u{D}rm -rf /'],
    ['a backspace and a bell', 'a\b\u0007', 'a\\u{8}\\u{7}'],
    ['a control of eight bits', '\u009B2J', '\\u{9B}2J'],
    ['text that runs backwards', 'a\u202Eb', 'a\\u{202E}b'],
    ['a joiner between Latin letters', 'a\u200Db', 'a\\u{200D}b'],
    ['text hidden in tags', 'a\u{E0041}', 'a\\u{E0041}'],
    ['a lone surrogate', 'a\uD800b', 'a\\u{D800}b'],
    ['a separator of lines', 'a\u2028b', 'a\\u{2028}b'],
  ])('spells out %s (E15)', ([, text, shown]) => {
    expect(safeText(text)).toBe(shown);
  });

  test.for<[string, string]>([
    ['\\u{1B}[2J', '\\\\u{1B}[2J'],
    ['\\\u001B[2J', '\\\\\\u{1B}[2J'],
    ['\\\\u{1B}', '\\\\\\\\u{1B}'],
    ['C:\\users \\{x}', 'C:\\users \\{x}'],
  ])('shows %j so that it is not taken for what was spelled out', ([text, shown]) => {
    expect(safeText(text)).toBe(shown);
    expect(safeText(text)).not.toBe(safeText('\u001B[2J'));
  });

  test('has ordinary spaces for all others, as wide as they are, and four for a tab (B8)', () => {
    const odd = '\u00A0\u1680\u2000\u2003\u202F\u205F\u3000';
    expect(safeText(`a${odd}b\tc`)).toBe(`a${' '.repeat(8)}b    c`);
    expect(safeText('Bonjour\u00A0! 10\u202F000 全角\u3000空白')).toBe('Bonjour ! 10 000 全角  空白');
  });

  test('keeps the tabs of what a program reads', () => {
    expect(safeText('all:\n\tcc é.c', '\t')).toBe('all:\n\tcc é.c');
  });

  test('has the line breaks of this system', () => {
    expect(safeText('a\r\nb')).toBe('a\nb');
  });

  test('never lets a character out that moves the cursor, hides or reorders', () => {
    const batch = 4096;
    // One batch for each plane without characters, or for private use.
    const firsts = Array.from({ length: 0x110000 / batch }, (_, index) => index * batch);
    const isEmpty = (first: number) => first >= 0x40000 && first >> 16 !== 0xe && first % 0x10000 !== 0xf000;
    for (const first of firsts.filter((one) => triesAll || !isEmpty(one))) {
      const text = Array.from(
        { length: batch },
        (_, index) => `a${String.fromCodePoint(first + index)}b`,
      ).join(' ');
      expect(rawParts(safeText(text))).toEqual([]);
    }
    fc.assert(fc.property(hostileText(), (text) => rawParts(safeText(text)).length === 0));
  });
});

describe('JSON for a terminal', () => {
  test('means the same and shows nothing raw', () => {
    fc.assert(
      fc.property(fc.anything({ values: [hostileText()], key: hostileText() }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify({ value }));
        const text = safeJson(plain);
        expect(JSON.parse(text)).toEqual(plain);
        expect(rawParts(text)).toEqual([]);
        expect(text).not.toContain('\n');
      }),
    );
  });

  test('spells out blanks, fillers and odd spaces', () => {
    expect(safeJson('\u3164\u034f\u2800\u3000 x')).toBe('"\\u3164\\u034f\\u2800\\u3000 x"');
  });

  test('escapes pairs as pairs', () => {
    expect(safeJson('\u{E0041}\u202E')).toBe('"\\udb40\\udc41\\u202e"');
  });
});
