import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { messageOf, pressKey } from '../../src/human/line-editor/keys.js';
import type { LineState } from '../../src/human/line-editor/state.js';
import { lineState, lineText, pasted } from '../../src/human/line-editor/state.js';
import { KeyDecoder } from '../../src/human/device/keys.js';

/** Presses keys, written as the bytes that a terminal sends; `|` in the result is the cursor. */
function pressed(
  bytes: string,
  start: LineState = lineState(),
): { shown: string; effects: readonly string[] } {
  const decoder = new KeyDecoder();
  let state = start;
  const effects: string[] = [];
  for (const event of [...decoder.feed(bytes), ...decoder.flush()]) {
    if (event.type === 'paste') {
      state = pasted(state, event.text);
      continue;
    }
    const step = pressKey(state, event.key);
    state = step.state;
    if (step.effect !== 'none') effects.push(step.effect);
  }
  return { shown: shown(state), effects };
}

function shown(state: LineState): string {
  const texts = state.items.map((item) =>
    item.pastedLines === undefined ? item.text : `<${item.pastedLines}>`,
  );
  return [...texts.slice(0, state.cursor), '|', ...texts.slice(state.cursor)].join('');
}

describe('a line', () => {
  test.for([
    ['typing', 'ab', 'ab|'],
    ['a wide letter and an emoji', '你👩‍👩‍👧', '你👩‍👩‍👧|'],
    ['left and right', 'abc\u001b[D\u001b[D\u001b[CX', 'abX|c'],
    ['a mark joins its letter', 'e\u0301\u001b[Dx', 'x|e\u0301'],
    ['backspace takes a whole character', 'a👍🏽\u007f', 'a|'],
    ['backspace at the start', '\u007fa', 'a|'],
    ['delete', 'abc\u001b[H\u001b[3~', '|bc'],
    ['delete at the end', 'ab\u001b[3~', 'ab|'],
    ['Ctrl-D in a text deletes', 'abc\u0001\u0004', '|bc'],
    ['home and end', 'abc\u001b[HX\u001b[FY', 'XabcY|'],
    ['Ctrl-B and Ctrl-F', 'abc\u0002\u0002\u0006X', 'abX|c'],
    ['Ctrl-A and Ctrl-E', 'abc\u0001X\u0005Y', 'XabcY|'],
    ['Ctrl-U and Ctrl-Y', 'abc def\u0015X\u0019', 'Xabc def|'],
    ['Ctrl-K', 'abc\u001b[D\u001b[D\u000b', 'a|'],
    ['Ctrl-W', 'abc def\u0017', 'abc |'],
    ['Alt-backspace', 'abc def\u001b\u007f', 'abc |'],
    ['Alt-D', 'abc def\u0001\u001bd', '| def'],
    ['words by Alt', 'abc def\u001bb\u001bbX\u001bf', 'Xabc| def'],
    ['words by Ctrl and arrows', 'abc def\u001b[1;5DX\u001b[1;5C', 'abc Xdef|'],
    ['Alt-Enter', 'a\u001b\rb', 'a\nb|'],
    ['Ctrl-J', 'a\nb', 'a\nb|'],
    ['Shift-Enter', 'a\u001b[13;2ub', 'a\nb|'],
    ['home and end stay in their line', 'ab\ncd\u001b[HX\u001b[FY', 'ab\nXcdY|'],
    ['up and down between lines', 'abc\nd\u001b[AX\u001b[BY', 'aXbc\ndY|'],
    ['an unknown control key', 'a\u0007', 'a|'],
  ] as const)('%s', ([, bytes, expected]) => {
    expect(pressed(bytes).shown).toBe(expected);
  });

  test.for([
    ['Enter', 'a\r', ['submit']],
    ['Ctrl-C', 'a\u0003', ['interrupt']],
    ['Ctrl-D on an empty line', '\u0004', ['end']],
    ['Tab', '/h\t', ['complete']],
    ['Esc', 'a\u001b', ['escape']],
    ['Ctrl-L', '\u000c', ['clear-screen']],
    ['a key without meaning', '\u001b[5~', ['ignored']],
    ['Alt with a letter without meaning', '\u001bx', ['ignored']],
  ] as const)('%s asks for something', ([, bytes, effects]) => {
    expect(pressed(bytes).effects).toEqual(effects);
  });

  test('a backslash before Enter goes on in a new line', () => {
    expect(pressed('a\\\rb')).toEqual({ shown: 'a\nb|', effects: [] });
  });

  test('Enter inside `"""` goes on in a new line until they are closed', () => {
    expect(pressed('"""\ra\rb\r"""\r')).toEqual({ shown: '"""\na\nb\n"""|', effects: ['submit'] });
  });

  test.for([
    ['"""\na\nb\n"""', 'a\nb'],
    ['"""a"""', 'a'],
    ['""""""', ''],
    ['"""', '"""'],
    ['say """x"""', 'say """x"""'],
    [' plain ', ' plain '],
  ] as const)('the message in %j is %j', ([text, message]) => {
    expect(messageOf(text)).toBe(message);
  });

  test('a long paste is one item, deleted as one', () => {
    const paste = '\u001b[200~1\n2\n3\n4\n5\u001b[201~';
    expect(pressed(`a${paste}b`).shown).toBe('a<5>b|');
    expect(pressed(`a${paste}\u007fb`).shown).toBe('ab|');
    expect(pressed(`a${paste}\u0001X`).shown).toBe('X|a<5>');
    // The arrows open it, from both sides.
    expect(pressed(`a${paste}\u001b[D`).shown).toBe('a1\n2\n3\n4\n5|');
    expect(pressed(`a${paste}\u0001\u001b[C\u001b[CX`).shown).toBe('aX|1\n2\n3\n4\n5');
  });

  test('a paste does not send, whatever is in it', () => {
    expect(pressed('\u001b[200~a\r\nb\r\u001b[201~').effects).toEqual([]);
    expect(lineText(pasted(lineState(), '1\r\n2\r3\n4\n5'))).toBe('1\n2\n3\n4\n5');
  });

  test('up and down walk the history and come back to the draft', () => {
    const start = lineState('', ['one', 'two']);
    expect(pressed('new\u001b[A', start).shown).toBe('two|');
    expect(pressed('new\u001b[A\u001b[A\u001b[A', start).shown).toBe('one|');
    expect(pressed('new\u001b[A\u001b[A\u001b[B\u001b[B\u001b[B', start).shown).toBe('new|');
    expect(pressed('\u0010\u000e', start).shown).toBe('|');
  });

  test('whatever is pressed, the cursor stays in the text', () => {
    const bytes = fc.constantFrom(
      'a',
      '你',
      ' ',
      '\n',
      '\u007f',
      '\u001b[A',
      '\u001b[B',
      '\u001b[C',
      '\u001b[D',
      '\u0015',
      '\u000b',
      '\u0017',
      '\u0019',
      '\u001bb',
      '\u001bf',
      '\u001bd',
      '\u001b[3~',
      '\u001b[H',
      '\u001b[F',
      '\u001b[200~1\n2\n3\n4\u001b[201~',
    );
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 40 }), (keys) => {
        let state = lineState('', ['x', 'y\nz']);
        const decoder = new KeyDecoder();
        for (const event of decoder.feed(keys.join(''))) {
          state = event.type === 'paste' ? pasted(state, event.text) : pressKey(state, event.key).state;
          expect(state.cursor).toBeGreaterThanOrEqual(0);
          expect(state.cursor).toBeLessThanOrEqual(state.items.length);
          expect(state.items.every((item) => item.text !== '')).toBe(true);
        }
      }),
    );
  });
});
