// Texts that attack a terminal: what is made of them, and what a terminal makes of that.
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect } from 'vitest';

import { escapeLines, escapeText, unescapeText } from '../../src/core/index.js';
import { questionView, renderQuestionPlain } from '../../src/human/index.js';
import { callInterrupt, stateWith, TRANSFER } from '../human/open-interrupt.js';
import { hostileText } from '../render/hostile.js';
import { hostileTexts, sampleTexts, wordsOf } from '../screen/hostile-texts.js';
import { fuzzTarget } from './fuzz.js';

/** Texts of three sources: terminal grammar in markdown, terminal grammar with words around, mutated samples. */
function attacks(): fc.Arbitrary<string> {
  const grammar = fc.nat().map((seed) => hostileTexts(1, seed)[0] ?? '');
  const samples = sampleTexts();
  const mutated = fc
    .tuple(
      fc.constantFrom(...(samples.length === 0 ? ['ls\u001b[2K'] : samples)),
      fc.nat(),
      fc.nat(4),
      hostileText(),
    )
    .map(([text, place, length, added]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + added + text.slice(at + length);
    });
  return fc.oneof(hostileText(), grammar, mutated, fc.string({ unit: 'binary' }));
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/u;

interface Watched {
  readonly rows: readonly string[];
  readonly surprises: readonly string[];
}

/** A terminal that is told something, and what it says and shows of it. */
async function shownBy(text: string): Promise<Watched> {
  const screen = new xterm.Terminal({ cols: 200, rows: 300, allowProposedApi: true, convertEol: true });
  const surprises: string[] = [];
  screen.onData((data) => surprises.push(`reply ${JSON.stringify(data)}`));
  screen.onTitleChange((title) => surprises.push(`title ${title}`));
  screen.onBell(() => surprises.push('bell'));
  screen.buffer.onBufferChange(() => surprises.push('another screen'));
  await new Promise<void>((resolve) => {
    screen.write(text, resolve);
  });
  const { active } = screen.buffer;
  const rows = Array.from(
    { length: active.length },
    (_, row) => active.getLine(row)?.translateToString(true) ?? '',
  );
  screen.dispose();
  return { rows: rows.slice(0, rows.findLastIndex((row) => row !== '') + 1), surprises };
}

fuzzTarget('escape-and-screen', {
  'an escaped text holds nothing that a terminal obeys, and is the text (3.4, T1, T2)': {
    runs: 600,
    property: () =>
      fc.property(attacks(), attacks(), (text, other) => {
        const shown = escapeText(text);
        expect(UNSAFE.test(shown)).toBe(false);
        expect(unescapeText(shown)).toBe(text);
        expect(unescapeText(shown + escapeText(other))).toBe(text + other);
        expect(shown.length).toBeLessThanOrEqual(8 * text.length);
        if (text !== other) expect(shown).not.toBe(escapeText(other));
        const lines = escapeLines(text);
        expect(unescapeText(lines.join('\n'))).toBe(text);
        expect(lines.some((line) => UNSAFE.test(line))).toBe(false);
        return true;
      }),
  },
  'a question about any text keeps its frame, shows every word, and provokes nothing (G31, T1 to T5, T14)': {
    runs: 60,
    property: () =>
      fc.asyncProperty(attacks(), async (text) => {
        const input = { command: text };
        const view = questionView(callInterrupt(input, { payload: { reason: text } }), stateWith(TRANSFER));
        const { rows, surprises } = await shownBy(renderQuestionPlain(view));
        expect(surprises).toEqual([]);
        // Column 0 is ours: behind the first row every one is indented or part of a wrapped one.
        const plain = renderQuestionPlain(view).split('\n');
        expect(plain.slice(1).filter((line) => !line.startsWith('  '))).toEqual([]);
        expect(rows.every((row) => !UNSAFE.test(row))).toBe(true);
        if (text.length > 400) return true; // folded: shown whole only where it is asked for
        const joined = rows.map((row) => row.replace(/^\s*│? ?/u, '')).join('');
        for (const word of wordsOf(text)) expect(joined).toContain(word);
        return true;
      }),
  },
});
