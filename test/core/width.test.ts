import { describe, expect, test } from 'vitest';

import { columnsOf, escapeText, unescapeText, wrapShown, wrapWords } from '../../src/core/index.js';
import { assignedCharacters, columnsInXterm, randomClusters } from '../screen/drawn-columns.js';

/** Text as languages write it, and the columns that it takes. */
const LANGUAGES: readonly (readonly [string, string, number])[] = [
  ['Thai', 'ไทยน้ำใจ ทำงาน', 13],
  ['Lao', 'ພາສາລາວ ນ້ຳ', 10],
  ['Hindi', 'हिन्दी क्षत्रिय', 12],
  ['Tamil', 'தமிழ் கோவில்', 10],
  ['Korean', '한국어 한글', 11],
  ['Korean in letters of syllables', '한글', 4],
  ['old Korean', '나랏말ᄊᆞ미 ᄒᆞᆫ글', 15],
  ['Arabic with vowels', 'العَرَبِيَّة', 7],
  ['Hebrew with vowels', 'עִבְרִית שָׁלוֹם', 10],
  ['Chinese', '中文，日本語', 12],
  ['half-width kana', 'ﾊﾝｶｸｶﾀｶﾅ ｶﾞｷﾞﾊﾟ', 15],
  ['flags', '🇩🇪🇺🇸', 4],
  ['an emoji with a skin', '👍🏽', 4],
];

describe('the width of text', () => {
  test.for(LANGUAGES)(
    '%s shows as it is, in as many columns as a terminal draws',
    async ([, text, columns]) => {
      const shown = escapeText(text.normalize('NFC') === text ? text : text.normalize('NFD'));
      expect({ shown, columns: columnsOf(shown) }).toEqual({ shown: text, columns });
      const [drawn = 0] = await columnsInXterm([shown]);
      expect(drawn).toBeLessThanOrEqual(columns);
    },
  );

  test.for<[string, string, string]>([
    ['marks of half-width kana', 'ﾞ', '\\u{FF9E}'],
    ['the vowel AM of Thai', '\u0E33', '\\u{E33}'],
    ['the vowel AM of Lao', '\u0EB3', '\\u{EB3}'],
    ['skins without an emoji', '\u{1F3FB}', '\\u{1F3FB}'],
    ['letters of which Korean syllables are made', '\u1100', '\\u{1100}'],
    ['their ends', '\u11A8', '\\u{11A8}'],
    ['halves of flags', '\u{1F1E9}x', '\\u{1F1E9}x'],
    ['what is younger than the tables of terminals', '\u{1FAE8}', '\\u{1FAE8}'],
  ])('%s in a run are spelled out one by one (A3)', ([, text, shown]) => {
    expect(escapeText(text.repeat(50))).toBe(shown.repeat(50));
  });

  test('no character of Unicode, alone, in a run or after a letter, is drawn wider than it was counted (A3)', async () => {
    const texts = assignedCharacters().flatMap((one) => [escapeText(one.repeat(3)), escapeText(`x${one}`)]);
    expect(await drawnWider(texts)).toEqual([]);
  });

  test('no cluster of characters that terminals join is drawn wider than it was counted (A3)', async () => {
    expect(await drawnWider(randomClusters(20_000, 3).map((text) => escapeText(text)))).toEqual([]);
  });

  test('no row is wider than was asked for, however it is broken (A3)', () => {
    const wrong = randomClusters(3000, 4).filter((text) => {
      const shown = escapeText(text.repeat(6));
      const rows = [...wrapWords(shown, 12), ...wrapShown(shown, 12)];
      const isWhole = unescapeText(wrapShown(shown, 12).join('')) === text.repeat(6);
      return !isWhole || rows.some((row) => columnsOf(row) > 12);
    });
    expect(wrong).toEqual([]);
  });
});

/** Texts that xterm.js draws in more columns than were counted. */
async function drawnWider(texts: readonly string[]): Promise<readonly string[]> {
  const drawn = await columnsInXterm(texts);
  expect(drawn).toHaveLength(texts.length);
  return texts.filter((text, index) => (drawn[index] ?? Infinity) > columnsOf(text));
}
