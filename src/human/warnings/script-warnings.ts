import type { Finding } from './finding.js';
import { excerpt, pointOf } from './finding.js';

/** Scripts whose letters may be mistaken for letters of another script. */
const SCRIPTS = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Georgian',
  'Lisu',
  'Osage',
  'Deseret',
  'Tifinagh',
  'Canadian_Aboriginal',
  'Vai',
  'Warang_Citi',
  'Old_Italic',
  'Gothic',
  'Runic',
  'Ogham',
  'Lycian',
  'Lydian',
  'Carian',
  'Elbasan',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Thai',
  'Ethiopic',
  'Hangul',
  'Katakana',
  'Hiragana',
  'Han',
  'Bopomofo',
] as const;
type Script = (typeof SCRIPTS)[number];

/**
 * Patterns of all scripts. They are compiled on first use, because patterns with character classes take a
 * long time to compile.
 */
let patterns: readonly (readonly [Script, RegExp])[] | undefined;

/** Scripts that do not separate words with spaces, or that commonly follow Latin words without a space. */
const JOINED: readonly Script[] = ['Han', 'Hangul', 'Hiragana', 'Katakana', 'Bopomofo', 'Thai'];

const wordsPattern = () => /[\p{L}\p{N}\p{M}]+/gu;
const notLatinPattern = () => /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/u;
/** Matches words that consist only of non-Latin letters that look like Latin letters. */
const TWIN =
  /^[\u0391\u0392\u0395\u0396\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7\u03B1\u03B9\u03BA\u03BD\u03BF\u03C1\u03C4\u03C5\u0405\u0406\u0408\u0410\u0412\u0415\u041A\u041C\u041D\u041E\u0420\u0421\u0422\u0423\u0425\u0430\u0435\u043A\u043E\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04BB\u04C0\u04CF\u0501\u051A\u051B\u051C\u051D\u0570\u0578\u057D\u0581\u0585]+$/u;
const LATIN = /[A-Za-z]/;
const ASCII = /^[\0-~]*$/;

/**
 * Warns about a word that mixes scripts, or, in text that contains Latin letters, about a non-Latin word that
 * looks like a Latin one. The warning lists the non-Latin letters, or the letters of the rarer script if
 * there are no Latin ones.
 */
export function scriptWarnings(text: string): readonly Finding[] {
  if (ASCII.test(text) || !notLatinPattern().test(text)) return [];
  const hasLatin = LATIN.test(text);
  for (const [word] of text.matchAll(wordsPattern())) {
    if (notLatinPattern().test(word)) {
      const scripts = scriptsOf(word);
      if (scripts.size > 1) return [mixed(word, scripts)];
      if (hasLatin && TWIN.test(word)) return [twin(word, scripts)];
    }
  }
  return [];
}

/** The letters of one script in a word. */
interface Letters {
  readonly count: number;
  readonly distinct: ReadonlySet<string>;
}

/**
 * Groups the letters of a word by script. Leaves out scripts that are commonly combined with others. Takes
 * linear time.
 */
function scriptsOf(word: string): ReadonlyMap<Script, Letters> {
  patterns ??= SCRIPTS.map((script) => [script, new RegExp(String.raw`\p{Script=${script}}`, 'u')]);
  const counts = new Map<string, number>();
  for (const letter of word) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const found = new Map<Script, { count: number; distinct: Set<string> }>();
  for (const [letter, count] of counts) {
    const script = patterns.find(([, pattern]) => pattern.test(letter))?.[0];
    if (script !== undefined && !JOINED.includes(script)) {
      const letters = found.get(script) ?? { count: 0, distinct: new Set() };
      letters.count += count;
      letters.distinct.add(letter);
      found.set(script, letters);
    }
  }
  return found;
}

function mixed(word: string, scripts: ReadonlyMap<Script, Letters>): Finding {
  // Beside letters of Latin, those of the other scripts deceive, however many they are.
  const others = scripts.has('Latin')
    ? [...scripts.entries()].filter(([script]) => script !== 'Latin')
    : [...scripts.entries()].sort(([, left], [, right]) => right.count - left.count).slice(1);
  const letters = others.flatMap(([script, { distinct }]) =>
    Array.from(distinct, (letter) => `${pointOf(letter)} is ${script}`),
  );
  return {
    kind: 'mixed-script',
    message: `“${excerpt(word)}” mixes alphabets: ${letters.slice(0, 4).join(', ')}${letters.length > 4 ? ', …' : ''}`,
  };
}

function twin(word: string, scripts: ReadonlyMap<Script, Letters>): Finding {
  const [script = 'another script'] = scripts.keys();
  const points = Array.from(new Set(word), pointOf).slice(0, 4).join(', ');
  return {
    kind: 'mixed-script',
    message: `“${excerpt(word)}” looks Latin but is ${script}: ${points}`,
  };
}
