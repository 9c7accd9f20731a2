import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  columnsOf,
  escapeLines,
  escapeText,
  firstRow,
  joined,
  laidOut,
  plainLine,
  shown,
  shownJson,
  trimmed,
  unescapeText,
  wrapShown,
} from '../../src/core/index.js';
import type { Output } from '../../src/render/index.js';
import { cpuTime } from '../helpers/cpu-time.js';

/** What may reach a terminal, as the contract has it: nothing of the escaped classes, and no bare mark. */
const SAFE =
  /^(?:(?![\p{Default_Ignorable_Code_Point}\u2800\uFFFC])(?:[\p{L}\p{N}]\p{M}{0,2}|[ \p{P}\p{S}]))*$/u;

/** Strings that are rich in what the escape function treats in a special way. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(
      ...[
        '\\',
        '{',
        '}',
        'u',
        'n',
        't',
        '1',
        'B',
        ' ',
        '         ',
        '\n',
        '\n\n\n',
        '\t',
        '\r',
        '\u001b',
        '\u0301',
      ],
      ...[
        'e',
        '\ud83d',
        '\ude00',
        '\u200d',
        '9 spaces',
        '5 line breaks',
        '3 empty lines',
        '\u{1D159}',
        '\u115f',
      ],
    ),
    maxLength: 30,
  }),
);

describe('escapeText', () => {
  test.for([
    ['plain text', 'cp a b && curl https://example.test/?q=1', 'cp a b && curl https://example.test/?q=1'],
    ['an escape sequence', '\u001b[8mhidden\u001b[0m', '\\u{1B}[8mhidden\\u{1B}[0m'],
    ['a carriage return', 'git push\rgit pull', 'git push\\u{D}git pull'],
    ['a line break', 'pwd\n? Continue? (y/N) y', 'pwd\\n? Continue? (y/N) y'],
    ['three line breaks', 'a\n\n\nb', 'a\\n\\n\\nb'],
    ['four line breaks', 'a\n\n\n\nb', 'a\\{4 line breaks}b'],
    ['a tab', 'a\tb', 'a\\tb'],
    ['eight spaces', 'a        b', 'a        b'],
    ['nine spaces', 'a         b', 'a\\{9 spaces}b'],
    ['a no-break space', 'a\u00a0b', 'a\\u{A0}b'],
    ['a backslash', 'C:\\temp', 'C:\\\\temp'],
    ['text that looks like notation', '\\u{1B}[0m \\{9 spaces}', '\\\\u{1B}[0m \\\\{9 spaces}'],
    ['a right-to-left override', 'mv report\u202efdp.exe .', 'mv report\\u{202E}fdp.exe .'],
    ['a zero-width space', 'na\u200bno', 'na\\u{200B}no'],
    ['tag characters', 'ok\u{E0068}\u{E0069}', 'ok\\u{E0068}\\u{E0069}'],
    ['a lone surrogate', 'a\udc00b', 'a\\u{DC00}b'],
    ['marks up to two after a letter', 'x\u0336\u0336\u0336\u0336', 'x\u0336\u0336\\u{336}\\u{336}'],
    ['a mark after a space', ' \u0301', ' \\u{301}'],
    ['an emoji', '\u{1F600}', '\u{1F600}'],
    ['joined emoji', '\u{1F468}\u200d\u{1F469}', '\u{1F468}\\u{200D}\u{1F469}'],
    ['a Hangul filler with a mark', '\u3164\u0301', '\\u{3164}\\u{301}'],
    ['Devanagari', '\u0915\u094d\u0937\u093f', '\u0915\u094d\u0937\u093f'],
    ['Chinese', '\u4f60\u597d', '\u4f60\u597d'],
    ['nothing', '', ''],
  ] as const)('shows %s', ([, text, shown]) => {
    expect(escapeText(text)).toBe(shown);
  });

  test('shows each of the 1,114,112 code points as itself or as its number, and safely', () => {
    const wrong: number[] = [];
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const character = String.fromCodePoint(point);
      const shown = escapeText(character);
      const spelled = `\\u{${point.toString(16).toUpperCase()}}`;
      const expected = shown === character || shown === spelled || ['\\\\', '\\n', '\\t'].includes(shown);
      if (!expected || !SAFE.test(shown) || unescapeText(shown) !== character) wrong.push(point);
    }
    expect(wrong).toEqual([]);
  });

  test('leaves every printable ASCII character but the backslash alone', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
    expect(escapeText(printable)).toBe(printable.replace('\\', '\\\\'));
  });

  test.for([
    ['a letter with marks', 'e\u0301\u0308'],
    ['a syllable in letters', '\u1112\u1161\u11AB'],
    ['a flag', '🇩🇪'],
    ['an emoji with a skin', '👍🏽'],
    ['half-width kana with a mark', 'ｶﾞ'],
    ['Thai with AM', 'น้ำ'],
    ['many spaces', ' '.repeat(30)],
    ['many line breaks', '\n'.repeat(30)],
  ] as const)('of a long text escapes %s as of a short one, wherever it stands (B1)', ([, cluster]) => {
    const alone = escapeText(`x${cluster}x`);
    for (let before = 16_350; before < 16_400; before += 1) {
      const long = `${'x'.repeat(before)}${cluster}${'x'.repeat(20_000)}`;
      expect(escapeText(long)).toBe(`${'x'.repeat(before - 1)}${alone}${'x'.repeat(19_999)}`);
    }
  });

  test('is reversible, so no two texts look the same', () => {
    fc.assert(
      fc.property(nasty, (text) => unescapeText(escapeText(text)) === text),
      { numRuns: 2000 },
    );
  });

  test('shows joined texts one after the other', () => {
    const check = (left: string, right: string) =>
      unescapeText(escapeText(left) + escapeText(right)) === left + right;
    fc.assert(fc.property(nasty, nasty, check), { numRuns: 2000 });
  });

  test('lets only safe characters through, also where outputs are joined', () => {
    const check = (left: string, right: string) => SAFE.test(escapeText(left) + escapeText(right));
    fc.assert(fc.property(nasty, nasty, check), { numRuns: 2000 });
  });

  test('shows its own output as something else once it holds notation', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = escapeText(text);
        return shown === text || escapeText(shown) !== shown;
      }),
    );
  });

  test('writes at most eight times what it reads', () => {
    fc.assert(
      fc.property(nasty, (text) => escapeText(text).length <= text.length * 8),
      { numRuns: 2000 },
    );
  });

  test.for([
    ['spaces in runs of eight', '        .'],
    ['letters with three marks', 'x\u0301\u0301\u0301'],
    ['line breaks in threes', '\n\n\n.'],
    ['backslashes', '\\'],
    ['escape characters', '\u001b'],
  ] as const)('takes a time linear in the length of %s', ([, unit]) => {
    const text = unit.repeat(300_000);
    const start = cpuTime();
    escapeText(text);
    // Some 0.1 s here; quadratic would be minutes.
    expect(cpuTime() - start).toBeLessThan(5_000);
  });
});

describe('escapeLines', () => {
  test.for([
    ['', ['']],
    ['a', ['a']],
    ['a\nb', ['a', 'b']],
    ['a\n', ['a', '']],
    ['a\n\n\nb', ['a', '', '', 'b']],
    ['a\n\n\n\nb', ['a', '\\{3 empty lines}', 'b']],
    ['\n\n\n\nb', ['\\{4 empty lines}', 'b']],
    ['\n\n\n\n', ['\\{5 empty lines}']],
    ['\n\n\n', ['', '', '', '']],
    ['if x:\n\treturn\r\n', ['if x:', '\\treturn\\u{D}', '']],
    ['e\n\u0301', ['e', '\\u{301}']],
  ] as const)('shows %j as lines', ([text, lines]) => {
    expect(escapeLines(text)).toEqual(lines);
  });

  test('is reversible and safe', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const lines = escapeLines(text);
        return unescapeText(lines.join('\n')) === text && lines.every((line) => SAFE.test(line));
      }),
      { numRuns: 2000 },
    );
  });

  test('folds four or more line breaks, so that it never shows five empty lines in a row', () => {
    fc.assert(fc.property(nasty, (text) => !/\n{5}/.test(escapeLines(text).join('\n'))));
  });
});

describe('wrapShown', () => {
  test('breaks at the width and never inside the notation', () => {
    expect(wrapShown('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
    expect(wrapShown(escapeText('ab\u001bcd'), 4)).toEqual(['ab', '\\u{1B}', 'cd']);
    expect(wrapShown('\u4f60\u597d!', 3)).toEqual(['\u4f60', '\u597d!']);
    expect(wrapShown('', 3)).toEqual(['']);
  });

  test('loses nothing', () => {
    const check = (text: string, columns: number) => {
      const shown = escapeText(text);
      return wrapShown(shown, columns).join('') === shown;
    };
    fc.assert(fc.property(nasty, fc.integer({ min: 1, max: 20 }), check));
  });

  test('begins with its first row', () => {
    const check = (text: string, columns: number) => {
      const shown = escapeText(text);
      return firstRow(shown, columns) === wrapShown(shown, columns)[0];
    };
    fc.assert(fc.property(nasty, fc.integer({ min: 1, max: 20 }), check));
  });
});

describe('plainLine', () => {
  test.for([
    ['a title', 20, 'a title'],
    ['a title that is long', 10, 'a title t…'],
    ['\u0007s and more', 4, '…'],
    ['two\nlines', 20, 'two\\nlines'],
    ['bell\u0007s', 6, 'bell…'],
    ['\u4f60\u597d\u4f60\u597d', 5, '\u4f60\u597d…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ] as const)('shows %j in %d columns', ([text, width, shown]) => {
    expect(plainLine(text, width)).toBe(shown);
    expect(columnsOf(shown)).toBeLessThanOrEqual(width);
  });

  test('does not look at more of a huge text than it can show', () => {
    expect(plainLine('x'.repeat(50_000_000), 10)).toBe('xxxxxxxxx…');
  });
});

describe('text that may go to a screen', () => {
  const foreign = ['a', 'b'].join('\u001B[2J');
  const written: string[] = [];
  const output: Output = { write: (text) => written.push(text) };

  test('is our own words with pieces that were escaped, and numbers', () => {
    output.write(shown`said ${escapeText(foreign)} ${3} times\n`);
    expect(written).toEqual(['said a\\u{1B}[2Jb 3 times\n']);
    expect(joined([shown`a`, shown`b`], ', ')).toBe('a, b');
    expect(trimmed(shown`a \n`)).toBe('a');
  });

  test('is not a text from elsewhere: that does not compile', () => {
    // @ts-expect-error a text that nobody looked at
    output.write(foreign);
    // @ts-expect-error nor where it stands in a template
    output.write(`said ${escapeText('a')}`);
    // @ts-expect-error nor in our own words
    output.write(shown`said ${foreign}`);
    // @ts-expect-error nor between others
    joined([foreign]);
  });

  test('of a layout moves nothing on the screen, whatever it holds, and keeps rows, styles, letters and emoji', () => {
    const kept = '\u001B[31mred\u001B[39m\t日本 e\u0301 👩\u200D💻 🏳\uFE0F\u00A0\n';
    expect(laidOut(kept)).toBe(kept);
    expect(laidOut('\u001B]0;title\u0007\u001B[2J\u009B2J\r\u202Eevil\u2028\uD800\u061C')).toBe(
      '\\u{1B}]0;title\\u{7}\\u{1B}[2J\\u{9B}2J\\u{D}\\u{202E}evil\\u{2028}\\u{D800}\\u{61C}',
    );
    fc.assert(
      fc.property(nasty, (text) => {
        // oxlint-disable-next-line no-control-regex -- our own styles
        const rest = laidOut(text).replace(/\u001B\[[0-9;]{0,24}m/g, '');
        return !/(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|[\u202A-\u202E\u2066-\u2069]/u.test(rest);
      }),
    );
  });
});

describe('a JSON value on one line', () => {
  test('is escaped once, as JSON escapes (adopter 15)', () => {
    expect(shownJson({ content: 'changed\n', 'a\\b': ['"', '\u202e', 'x         y'] })).toBe(
      String.raw`{"content":"changed\n","a\\b":["\"","\u202e","x${String.raw`\u0020`.repeat(9)}y"]}`,
    );
  });

  test('reads back as the value, and moves nothing on a terminal (adopter 15)', () => {
    const values = fc.oneof(nasty, fc.array(nasty), fc.dictionary(nasty, fc.oneof(nasty, fc.integer())));
    fc.assert(
      fc.property(values, (value) => {
        const text = shownJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(escapeText(text).replaceAll('\\\\', '\\')).toBe(text);
      }),
    );
  });
});
