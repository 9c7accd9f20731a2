// The time to draw what is shown: it grows as its length does, whatever it is made of and wherever it stands (B1).
import { describe, expect, test } from 'vitest';

import { plainLine } from '../../src/core/index.js';
import { lineState } from '../../src/human/line-editor/state.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { AskedWindow } from '../../src/human/look/asked-window.js';
import { briefRows } from '../../src/human/look/terminal-look.js';
import { questionView, renderQuestionPlain } from '../../src/human/index.js';
import { showMarkdown } from '../../src/render/markdown/stream.js';
import { createTheme } from '../../src/render/colour-theme.js';
import { cpuTime } from '../helpers/cpu-time.js';
import { callInterrupt, question, stateWith, TRANSFER } from './open-interrupt.js';

const LENGTH = 160_000;
const SHORT = LENGTH / 8;
/** For a text eight times as long, collection of garbage included; what grows with the square takes 64 times. */
const MOST = 20;
/** Less is not told from what else a process does. */
const LEAST_MS = 12;
const LONGEST_MS = 6000;

const TEXTS: readonly (readonly [string, (length: number) => string])[] = [
  ['one word with one sign that is not ASCII', (length) => `“${'x'.repeat(length)}`],
  ['one word of a thousand signs of each kind', (length) => `${'x'.repeat(999)}é“中`.repeat(length / 1002)],
  ['words', (length) => 'é word “q” '.repeat(length / 11)],
  ['lines', (length) => 'é line “q”\n'.repeat(length / 11)],
  ['Chinese', (length) => '中文'.repeat(length / 2)],
  ['Thai', (length) => 'น้ำ'.repeat(length / 4)],
  ['letters with marks', (length) => 'e\u0301\u0308'.repeat(length / 3)],
  ['marks without letters', (length) => '\u0301'.repeat(length)],
  ['marks that repeat letters', (length) => `${'々'.repeat(length)}x`],
  ['families of emoji', (length) => '👩\u200D'.repeat(length / 3)],
  ['controls', (length) => '\u001b\\'.repeat(length / 2)],
  ['spaces', (length) => ' '.repeat(length)],
  ['addresses without an end', (length) => 'http://'.repeat(length / 7)],
];

const PLACES: readonly (readonly [string, (text: string) => unknown])[] = [
  [
    'a value',
    (text) => {
      drawn(callInterrupt({ command: text }));
    },
  ],
  [
    'a key',
    (text) => {
      drawn(callInterrupt({ [text]: 1 }));
    },
  ],
  [
    'the name of a tool',
    (text) => {
      drawn(callInterrupt({}, { name: text }));
    },
  ],
  [
    'a question',
    (text) => {
      drawn(question({ question: text }));
    },
  ],
  [
    'a choice',
    (text) => {
      drawn(question({ question: 'Which?', choices: [text, 'plain'] }));
    },
  ],
  [
    'the error of a tool',
    (text) => {
      drawn(
        callInterrupt({}, { kind: 'error', raisedBy: 'engine', payload: { code: 'failed', message: text } }),
      );
    },
  ],
  ['a reply', (text) => showMarkdown(text, createTheme({ colour: false }), 80)],
  ['a line of a list', (text) => plainLine(text, 80)],
  ['the line of a person', (text) => lineState(text)],
];

function drawn(interrupt: Parameters<typeof questionView>[0]): void {
  const view = questionView(interrupt, stateWith(TRANSFER), { limits: null });
  const window = new AskedWindow((columns) => briefRows(view, columns, plainTheme), plainTheme);
  for (const [columns, rows] of [
    [80, 20],
    [80, 19],
    [40, 20],
  ] as const)
    window.rows(columns, rows);
  renderQuestionPlain(view);
}

/** Every text as a value and in a reply, and the first ones everywhere. */
const TRIED = PLACES.flatMap(([place, show]) => {
  const isWhole = place === 'a value' || place === 'a reply';
  return (isWhole ? TEXTS : TEXTS.slice(0, 3)).map(([text, of]) => ({ place, text, show, of }));
});

function cost(work: () => unknown): number {
  const start = cpuTime();
  work();
  return cpuTime() - start;
}

describe('the time to show a long text grows as its length does (B1)', () => {
  test.for(TRIED)('$place: $text', ({ show, of }) => {
    show(of(SHORT)); // what is made at its first use is there
    const rounds = 4; // the processor is shared: what other programs do to one round is not what the text costs
    let ratio = Infinity;
    for (let round = 0; round < rounds && ratio >= MOST; round += 1) {
      const small = cost(() => show(of(SHORT)));
      const large = cost(() => show(of(LENGTH)));
      expect(large).toBeLessThan(LONGEST_MS);
      ratio = Math.min(ratio, large / Math.max(small, LEAST_MS));
    }
    expect(ratio).toBeLessThan(MOST);
  });
});
