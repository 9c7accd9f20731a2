// Every place of a question that holds text from outside, without the fixtures of the display contract.
import { describe, expect, test } from 'vitest';

import type { Interrupt, RunState } from '../../src/core/index.js';
import { escapeText } from '../../src/core/index.js';
import { questionView, renderQuestionPlain } from '../../src/human/index.js';
import { callInterrupt, question, stateWith, TRANSFER } from '../human/open-interrupt.js';
import { hostileTexts } from './hostile-texts.js';

const HOSTILE = 'pay\u001b[2K\u001b[1A\u009bH\u202eme';
const SHOWN = escapeText(HOSTILE);

const PLACES: Readonly<Record<string, readonly [Interrupt, RunState?]>> = {
  'a value': [callInterrupt({ to: HOSTILE })],
  'a value that needs quotes': [callInterrupt({ to: ` ${HOSTILE} ` })],
  'a line of a value with several': [callInterrupt({ to: `one\n${HOSTILE}\nthree` })],
  'a key': [callInterrupt({ [HOSTILE]: 1 })],
  'a deep key': [callInterrupt({ a: { b: [{ [HOSTILE]: 1 }] } })],
  'a value below the last level that is unfolded': [
    callInterrupt({ a: { a: { a: { a: { a: { a: { a: { a: { a: HOSTILE } } } } } } } } }),
  ],
  'the name of a tool': [callInterrupt({}, { name: HOSTILE })],
  'the origin of a tool': [callInterrupt({}), stateWith({ ...TRANSFER, origin: HOSTILE })],
  'a line of a difference': [callInterrupt({}, { payload: { diff: `-one\n+${HOSTILE}\n` } })],
  'a resolved fact': [callInterrupt({}, { payload: { facts: { path: HOSTILE } } })],
  'the name of a fact': [callInterrupt({}, { payload: { facts: { [HOSTILE]: 'x' } } })],
  'a warning of a gate': [callInterrupt({}, { payload: { warnings: [HOSTILE] } })],
  'a warning of a gate that is no text': [
    callInterrupt({}, { payload: { warnings: [{ why: '\u009b\u202e' }] } }),
  ],
  'a reason of a gate': [callInterrupt({}, { payload: { reason: HOSTILE } })],
  'what a tool says': [callInterrupt({}, { raisedBy: 'tool', payload: { note: HOSTILE } })],
  'a question': [question({ question: HOSTILE })],
  'a label to choose': [question({ question: 'Which?', choices: [HOSTILE, 'plain'] })],
  'what explains a choice': [
    question({ question: 'Which?', choices: [{ label: 'a', description: HOSTILE }, 'plain'] }),
  ],
  'the error of a tool': [
    callInterrupt({}, { kind: 'error', raisedBy: 'engine', payload: { code: 'failed', message: HOSTILE } }),
  ],
};

/** Shown as JSON, which spells out some of it first. */
const AS_JSON: ReadonlySet<string> = new Set([
  'a value below the last level that is unfolded',
  'a warning of a gate that is no text',
]);

function shown(interrupt: Interrupt, state = stateWith(TRANSFER)): string {
  return renderQuestionPlain(questionView(interrupt, state));
}

describe('G31: a question', () => {
  test.for(Object.entries(PLACES))('spells out %s', ([place, [interrupt, state]]) => {
    const text = shown(interrupt, state);
    expect(text).not.toMatch(/[^\P{C}\n]/u);
    if (!AS_JSON.has(place)) expect(text.replaceAll(/\n\s*│ /g, '')).toContain(SHOWN);
  });

  test('of any text draws column 0 itself', () => {
    for (const text of hostileTexts(200, 7)) {
      const lines = shown(
        callInterrupt({ command: text, [text]: text }, { payload: { diff: text, reason: text } }),
      );
      expect(lines).not.toMatch(/[^\P{C}\n]/u);
      expect(
        lines
          .split('\n')
          .slice(1)
          .filter((line) => !line.startsWith('  ')),
      ).toEqual([]);
    }
  });
});
