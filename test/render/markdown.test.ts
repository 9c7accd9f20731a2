import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { closedLength, forcedCut } from '../../src/render/markdown/closed-length.js';
import { MarkdownStream, showMarkdown } from '../../src/render/markdown/stream.js';
import { createTheme } from '../../src/render/colour-theme.js';
import { hostileText, rawParts, withoutStyles } from './hostile.js';
import { cpuTime } from '../helpers/cpu-time.js';

const plain = createTheme({ colour: false });
const coloured = createTheme({ colour: true });

function show(source: string, columns = 80): string {
  return showMarkdown(source, plain, columns);
}

function inPieces(pieces: readonly string[], theme = plain): string {
  const stream = new MarkdownStream(theme, () => 80);
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end();
}

/** What is on the screen after each piece. */
function growth(pieces: readonly string[]): readonly string[] {
  const stream = new MarkdownStream(plain, () => 80);
  let shown = '';
  return pieces.map((piece) => {
    shown += stream.push(piece);
    return shown;
  });
}

/** A text cut at the given places. */
function cut(text: string, places: readonly number[]): readonly string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return sorted.slice(1).map((place, index) => text.slice(sorted[index], place));
}

describe('markdown', () => {
  test.for<[string, string, string]>([
    ['a heading', '## Two **x** ##', '## Two **x** ##\n'],
    ['emphasis', 'a **b** *c* ~~d~~ `e`', 'a **b** *c* ~~d~~ `e`\n'],
    ['a link as its text and address', '[docs](https://x.y/z "t")', 'docs (https://x.y/z)\n'],
    [
      'an address once',
      'see https://x.y/a_b_c and <mailto:a@b.c>',
      'see https://x.y/a_b_c and mailto:a@b.c\n',
    ],
    ['an image as its text and address', '![alt](a.png)', 'alt (a.png)\n'],
    ['HTML as it was written', '<b>x</b>', '<b>x</b>\n'],
    [
      'entities decoded',
      'a &amp;&lt; &#65; &#x41; &unknown; [b](u?c&amp;d)',
      'a &< A A &unknown; b (u?c&d)\n',
    ],
    ['a hard break', '**a  \nb**', '**a\nb**\n'],
    ['a break within a row', '| a |\n|---|\n| x<br>y |', 'a\n──────\nx<br>y\n'],
    ['lists', '- a\n  * b\n1. c\n2) d', '• a\n  • b\n1. c\n2) d\n'],
    ['tasks', '- [ ] a\n- [X] b', '• [ ] a\n• [x] b\n'],
    ['quotes', '> a\n> > b\n> - c', '│ a\n│ │ b\n│ • c\n'],
    ['a rule', '---', `${'─'.repeat(40)}\n`],
    [
      'code as it was written',
      '```js\nlet a = "**b**"; // \\n\n```',
      '```js\nlet a = "**b**"; // \\n\n```\n',
    ],
    ['a fence of tildes that holds backticks', '~~~\n```\n~~~', '~~~\n```\n~~~\n'],
    ['a fence that is never closed', '```\na', '```\na\n'],
    ['code in a list', '- a\n  ```\n  x\n  ```\n- b', '• a\n  ```\n  x\n  ```\n• b\n'],
    ['a break within emphasis', 'a **b\nc** d', 'a **b\nc** d\n'],
    [
      'stars and underscores that are none',
      '2 * 3 = 6, snake_case_x, 5 *3',
      '2 * 3 = 6, snake_case_x, 5 *3\n',
    ],
    ['marks that are never closed', 'a **b\n\nc `d [e', 'a **b\n\nc `d [e\n'],
    ['Windows line ends', 'a\r\n\r\n- b\r\n', 'a\n\n• b\n'],
    ['nothing', '', ''],
    ['empty lines', '\n\n', '\n\n'],
    ['a table', '| a | b |\n|---|--:|\n| long | 1 |\nend', 'a     b\n────  ─\nlong  1\nend\n'],
    ['a table with wide letters', '| a | b |\n|---|---|\n| 日本 | x |', 'a     b\n────  ─\n日本  x\n'],
    ['rows that are no table', '| a | b |\nx', '| a | b |\nx\n'],
  ])('shows %s', ([, source, shown]) => {
    expect(show(source)).toBe(shown);
  });

  test.for([
    ['a long heading', `# ${'x'.repeat(1200)}`],
    ['long rows', `| ${'x'.repeat(1200)} |\n|---|`],
  ])('shows %s as it was written, in rows', ([, source = '']) => {
    expect(show(source).replaceAll('\n', '')).toBe(source.replaceAll('\n', ''));
  });

  test('breaks prose at words, hangs items and quotes, and marks where code goes on (M4)', () => {
    expect(
      show(
        '- one two three four five six\n\n> seven eight nine ten\n\n```\nlet answer = 42 + 1000;\n```',
        20,
      ),
    ).toBe(
      '• one two three four\n  five six\n\n│ seven eight nine \n│ ten\n\n```\nlet answer = 42 + \n↪ 1000;\n```\n',
    );
  });

  test('shows a table that is too wide as records, with nothing cut', () => {
    const table = `| name | text |\n|---|---|\n| a | ${'x'.repeat(30)} |\n| b | y |`;
    expect(show(table, 20)).toBe(`name: a\ntext: ${'x'.repeat(30)}\n─\nname: b\ntext: y\n`);
  });

  test('shows of a fence only its language where there are colours', () => {
    const source = 'a\n\n```ts\nlet a;\n```\nb\n~~~\nc\n~~~';
    const code = coloured.code;
    expect(showMarkdown(source, coloured, 80)).toBe(
      `a\n\n${coloured.dim('ts')}\n${code('let a;')}\nb\n${code('c')}\n`,
    );
    expect(showMarkdown(source, plain, 80)).toBe('a\n\n```ts\nlet a;\n```\nb\n~~~\nc\n~~~\n');
  });

  test('leaves out the marks where there are colours', () => {
    expect(showMarkdown('# T\n**b** `c`', coloured, 80)).toBe(
      '\u001B[1m\u001B[4mT\u001B[24m\u001B[22m\n\u001B[1mb\u001B[22m \u001B[36mc\u001B[39m\n',
    );
  });

  test('is the same however it arrives in pieces', () => {
    const words = fc.constantFrom(
      'a',
      'word',
      ' ',
      '\n',
      '\n\n',
      '**',
      '*',
      '_',
      '`',
      '[t](u)',
      '[',
      ']',
      '\n- ',
      '\n# ',
      '\n> ',
      '\n```\n',
      '\n| a |\n|---|\n| b |\n',
      '1. ',
      '\r\n',
      '漢字',
      '👩‍👩‍👧',
      '---',
      '- [x] ',
      '\\*',
      '* * *',
    );
    const text = fc.array(words, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (source, places) => {
        const pieces = cut(source, places);
        expect(inPieces(pieces)).toBe(show(source));
        expect(inPieces(pieces, coloured)).toBe(showMarkdown(source, coloured, 80));
      }),
      { numRuns: 500 },
    );
  });

  test('loses no word (M2)', () => {
    const part = fc.constantFrom(
      '\n',
      '\n\n',
      '- ',
      '> ',
      '# ',
      '**',
      '*',
      '`',
      '~~',
      '\n```\n',
      '1. ',
      '  ',
      '[x ',
    );
    const parts = fc.array(fc.tuple(part, fc.nat(9999)), { maxLength: 30 });
    fc.assert(
      fc.property(parts, (marked) => {
        const source = marked.map(([mark, number]) => `${mark}w${number} `).join('');
        const shown = showMarkdown(source, coloured, 200); // room for thirty lists in each other
        const words = (text: string): readonly string[] => text.match(/w\d+/g) ?? [];
        expect(words(withoutStyles(shown))).toEqual(words(source));
      }),
    );
  });

  test('lets nothing raw out (M4)', () => {
    fc.assert(
      fc.property(hostileText(), fc.array(fc.nat(), { maxLength: 6 }), (source, places) => {
        for (const theme of [plain, coloured]) {
          const shown = inPieces(cut(source, places), theme);
          expect(rawParts(theme.colour ? withoutStyles(shown) : shown)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('streaming', () => {
  test('shows words as they are complete, and code by the line', () => {
    expect(growth(['Hel', 'lo wor', 'ld, ', 'again\n', '```\nlet ', 'a;\n', 'b'])).toEqual([
      '',
      'Hello ',
      'Hello world, ',
      'Hello world, again\n',
      'Hello world, again\n```\n',
      'Hello world, again\n```\nlet a;\n',
      'Hello world, again\n```\nlet a;\n',
    ]);
  });

  test('holds a style back until it is closed', () => {
    expect(growth(['a **b ', 'c', '** ', 'd'])).toEqual(['a ', 'a ', 'a **b c** ', 'a **b c** ']);
  });

  test('shows scripts without spaces as they come', () => {
    expect(growth(['你好', '世界', '**很', '好**'])).toEqual(['你', '你好世', '你好世', '你好世']);
  });

  test('does not hold text back for longer than 1000 characters (M3)', () => {
    const [shown = ''] = growth([`**${'word '.repeat(400)}`]);
    expect(shown.length).toBeGreaterThan(900);
    const [unbroken = ''] = growth(['x'.repeat(2500)]);
    expect(unbroken.replaceAll('\n', '')).toBe('x'.repeat(2000));
  });

  test('begins anew after its end', () => {
    const stream = new MarkdownStream(plain, () => 80);
    expect(stream.push('```\ncode') + stream.end() + stream.push('**text** ') + stream.end()).toBe(
      '```\ncode\n**text** \n',
    );
  });

  test('stays quick with hostile text', () => {
    const started = cpuTime();
    for (const unit of ['[', '_a', '*', '`', '# ', '|a', '>', '<a ', '![a](', 'a**b', '- ', '\t#']) {
      for (const step of [40_000, 1_000]) {
        const source = unit.repeat(40_000 / unit.length);
        const pieces = Array.from({ length: Math.ceil(source.length / step) }, (_, index) =>
          source.slice(index * step, (index + 1) * step),
        );
        inPieces(pieces);
      }
    }
    expect(cpuTime() - started).toBeLessThan(15_000);
  });
});

describe('the closed part of inline markdown', () => {
  test.for<[string, number]>([
    ['a b c', 4],
    ['a **b c', 2],
    ['a **b** c', 8],
    ['a `b c', 2],
    ['a `b` c', 6],
    ['a [b c](d e', 2],
    ['a [b c](d e) f', 13],
    ['a [b] c', 6],
    ['a\\', 0],
    ['a *b **c** d* e', 14],
    ['a ', 2],
    ['', 0],
  ])('%j is closed up to %i', ([source, length]) => {
    expect(closedLength(source)).toBe(length);
  });

  test.for<[string, number]>([
    ['ab cd', 3],
    ['abcd', 4],
    ['ab\uD83D', 2],
  ])('a forced cut of %j is at %i', ([source, length]) => {
    expect(forcedCut(source)).toBe(length);
  });
});
