// The columns that we count, against the cursor of real terminals: tmux, and xterm.js.
import { describe, expect, test } from 'vitest';

import { columnsOf, escapeText } from '../../src/core/index.js';
import { safeText } from '../../src/render/index.js';
import {
  assignedCharacters,
  columnsInTmux,
  columnsInXterm,
  hasTmux,
  randomClusters,
} from './drawn-columns.js';

/** Signs that other terminals draw wider than these two: those of Unicode 16, and people of which tmux 3.5 makes emoji. */
const WIDER_ELSEWHERE =
  /[\u2630-\u2637\u268A-\u268F\u{1D300}-\u{1D356}\u{1D360}-\u{1D376}\u261D\u26F9\u270C\u270D\u{1F3CB}\u{1F3CC}\u{1F574}\u{1F575}\u{1F590}]/u;

const CLUSTERS = 100_000;
const isThere = hasTmux();
if (!isThere) process.stdout.write('there is no tmux: its columns are not compared\n');

interface Measured {
  readonly text: string;
  readonly counted: number;
  readonly drawn: number;
}

/** Each text with its columns as counted, and as the terminal that draws it widest has it. */
async function measured(texts: readonly string[]): Promise<readonly Measured[]> {
  const inXterm = await columnsInXterm(texts);
  const inTmux = isThere ? columnsInTmux(texts) : inXterm;
  expect([inXterm.length, inTmux.length]).toEqual([texts.length, texts.length]);
  return texts.map((text, index) => ({
    text,
    counted: columnsOf(text),
    drawn: Math.max(inXterm[index] ?? 0, inTmux[index] ?? 0),
  }));
}

describe('columns', () => {
  test.for<[string, (character: string) => string]>([
    ['alone', (character) => character],
    ['five times', (character) => character.repeat(5)],
    ['after a letter', (character) => `x${character}`],
    ['after a letter of Thai', (character) => `ก${character}`],
    ['after a syllable of Korean', (character) => `가${character}`],
    ['before a mark', (character) => `${character}\u0301`],
  ])(
    'every character of Unicode, %s, takes as many as are counted, in the terminal that draws it widest (A3)',
    async ([, placed]) => {
      const texts = assignedCharacters().map((character) => escapeText(placed(character)));
      const wrong = (await measured(texts)).filter(
        ({ text, counted, drawn }) => counted !== drawn && !(counted > drawn && WIDER_ELSEWHERE.test(text)),
      );
      expect(wrong).toEqual([]);
    },
  );

  test.for<[string, (text: string) => string]>([
    ['a question', escapeText],
    ['a reply', safeText],
  ])(`none of ${CLUSTERS} clusters in %s is drawn wider than it was counted (A3)`, async ([, shown]) => {
    const texts = randomClusters(CLUSTERS, 48).map(shown);
    expect((await measured(texts)).filter(({ counted, drawn }) => drawn > counted)).toEqual([]);
  });
});
