import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { seededRandom } from '../helpers/random.js';

const SAMPLES = path.resolve(import.meta.dirname, '../../../shared/fixtures/approval-spoofing-sample.jsonl');

/** Longer ones are folded in a question, which is not approved before it was opened in full. */
const MOST_CHARACTERS = 1000;

/** The texts of the display contract's samples that fit a question; none where they are absent. */
export function sampleTexts(): readonly string[] {
  return allSamples().filter((text) => text.length <= MOST_CHARACTERS);
}

/** Those that are folded in a question. */
export function longSampleTexts(): readonly string[] {
  return allSamples().filter((text) => text.length > MOST_CHARACTERS);
}

function allSamples(): readonly string[] {
  if (!existsSync(SAMPLES)) return [];
  return readFileSync(SAMPLES, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { payload: string }).payload);
}

const INTRODUCERS = [
  ...['\u001b[', '\u001b]', '\u001bP', '\u001b_', '\u001b^', '\u001bX', '\u001bO', '\u001b(', '\u001b%'],
  ...['\u009b', '\u009d', '\u0090', '\u009f', '\u009e', '\u0098'],
];
const PARAMETERS = [
  '',
  '2',
  '1;1',
  '?1049',
  '?25',
  '6',
  '0;owned',
  '52;c;eQ==',
  '8;;http://a.example',
  '$qm',
  '999',
];
const FINALS = ['A', 'D', 'G', 'H', 'J', 'K', 'P', 'S', 'X', 'b', 'c', 'h', 'l', 'm', 'n', 'q', 't'];
const ENDINGS = ['\u0007', '\u001b\\', '\u009c', ''];
const WORDS = [
  'rm -rf home',
  'approved',
  '│ amount: 1',
  '✓ approved pay',
  '\ncommand: ls',
  '\n? Run it? (y/N) y',
];
const MARKS = [
  ...['\r', '\b\b\b\b', '\u007f', '\u000b', '\u000c', '\u000e', '\u0085', '\u2028', '\u2029', '\t', '\u00ad'],
  ...['\u202e', '\u2066', '\u200b', '\u200f', '\u061c', '\ufeff', '\u2800', '\u3164', '\u{e0041}', '\u00a0'],
  ...['\u001bc', '\u001b7', '\u001b8', '\u001bM', '\u001bD', '\u001b=', '\\u{1B}[2J', '\\x1b[2J', '^[[2J'],
];

/** Texts from a small grammar of what terminals obey, each with a word of its own at both ends. */
export function hostileTexts(count: number, seed: number): readonly string[] {
  const random = seededRandom(seed);
  const pick = (from: readonly string[]): string => from[random(from.length)] ?? '';
  const piece = (): string => {
    switch (random(4)) {
      case 0:
        return pick(WORDS);
      case 1:
        return pick(MARKS);
      case 2:
        return pick(INTRODUCERS) + pick(PARAMETERS) + pick(FINALS);
      default:
        return pick(INTRODUCERS) + pick(PARAMETERS) + pick(ENDINGS);
    }
  };
  return Array.from({ length: count }, (_, index) => {
    const middle = Array.from({ length: 2 + random(5) }, piece).join('');
    return `head${index}x${middle}x${index}tail`;
  });
}

/** The words of a text that have to be on the screen whatever stands between them. */
export function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/[A-Za-z0-9]{3,}/g)].map(([word]) => word);
}
