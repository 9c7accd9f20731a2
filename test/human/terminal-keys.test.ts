import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { KeyEvent } from '../../src/human/device/keys.js';
import { KeyDecoder } from '../../src/human/device/keys.js';

function names(events: readonly KeyEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === 'paste') return `paste:${event.text}`;
    const { ctrl, meta, shift, name } = event.key;
    return `${ctrl ? 'C-' : ''}${meta ? 'M-' : ''}${shift ? 'S-' : ''}${name}`;
  });
}

function decode(...reads: readonly string[]): readonly string[] {
  const decoder = new KeyDecoder();
  return [...reads.flatMap((read) => names(decoder.feed(read))), ...names(decoder.flush())];
}

describe('a key decoder', () => {
  test.for([
    ['y', ['y']],
    ['Y', ['S-Y']],
    ['é', ['é']],
    ['你', ['你']],
    ['😀', ['😀']],
    [' ', ['space']],
    ['\r', ['enter']],
    ['\n', ['newline']],
    ['\t', ['tab']],
    ['\u007f\b', ['backspace', 'backspace']],
    ['\u0003', ['C-c']],
    ['\u001b', ['escape']],
    ['\u001b\u001b', ['escape', 'escape']],
    ['\u001bb', ['M-b']],
    ['\u001b\r', ['M-enter']],
    ['\u001b[A', ['up']],
    ['\u001bOB', ['down']],
    ['\u001b[1;5C', ['C-right']],
    ['\u001b[1;3D', ['M-left']],
    ['\u001b[H\u001b[4~', ['home', 'end']],
    ['\u001b[3~', ['delete']],
    ['\u001b[Z', ['S-tab']],
    ['\u001b[13;2u', ['S-enter']],
    ['\u001b[27;3;13~', ['M-enter']],
  ] as const)('reads %j', ([bytes, keys]) => {
    expect(decode(bytes)).toEqual(keys);
  });

  test.for([
    ['device attributes', '\u001b[?1;2c'],
    ['secondary attributes', '\u001b[>0;276;0c'],
    ['a cursor report', '\u001b[24;80R'],
    ['a status report', '\u001b[0n'],
    ['focus in and out', '\u001b[I\u001b[O'],
    ['a colour, ended by BEL', '\u001b]11;rgb:0000/0000/0000\u0007'],
    ['a clipboard, ended by ST', '\u001b]52;c;eQ==\u001b\\'],
    ['a terminfo answer', '\u001bP1+r544e=787465726d\u001b\\'],
    ['a version', '\u001bP>|xterm(367)\u001b\\'],
    ['a mouse click', '\u001b[<0;10;20M'],
    ['an old mouse click', '\u001b[M !!'],
    ['a window size', '\u001b[8;24;80t'],
    ['an unknown function key', '\u001b[24~'],
    ['a kitty key it did not ask for', '\u001b[121u'],
    ['C1 controls', '\u0085\u009b'],
  ] as const)('T13: %s is not a key', ([, report]) => {
    expect(decode(report)).toEqual([]);
    expect(decode(`${report}n`)).toEqual(['n']);
  });

  test('T13: a report that arrives in pieces is not a key', () => {
    expect(decode('\u001b]52;c;', 'eXl5', '\u0007', 'n')).toEqual(['n']);
  });

  test('a report that never ends is dropped when time has passed', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed('\u001b]52;c;yyyy')).toEqual([]);
    expect([decoder.waiting, decoder.waitsForKey]).toEqual([true, false]);
    expect(decoder.flush()).toEqual([]);
    expect(names(decoder.feed('n'))).toEqual(['n']);
  });

  test.for(['\u001b[', '\u001b[20', '\u001bO'])('%j is the start of a sequence that was cut', (start) => {
    const decoder = new KeyDecoder();
    expect(decoder.feed(start)).toEqual([]);
    expect([decoder.waiting, decoder.waitsForKey]).toEqual([true, false]);
    expect(decoder.flush()).toEqual([]);
  });

  test('a lone Esc waits for time to tell', () => {
    const decoder = new KeyDecoder();
    expect(decoder.feed('\u001b')).toEqual([]);
    expect([decoder.waiting, decoder.waitsForKey]).toEqual([true, true]);
    expect(names(decoder.flush())).toEqual(['escape']);
  });

  test('G30: a paste is one event, with keys and sequences in it as text', () => {
    expect(decode('\u001b[200~y\r\u001b[A\u0003\nz\u001b[201~n')).toEqual([
      'paste:y\n\u001b[A\u0003\nz',
      'n',
    ]);
  });

  test('a paste whose end never comes stays a paste', () => {
    expect(decode('\u001b[200~y', 'y\r', 'y')).toEqual([]);
  });

  test('how the bytes were split over reads does not matter', () => {
    const piece = fc.constantFrom(
      'y',
      '\r',
      '你',
      '😀',
      '\u001b[A',
      '\u001b[1;5C',
      '\u001b]0;t\u0007',
      '\u001b[200~a\nb\u001b[201~',
      '\u001bOA',
      '\u001b[?1;2c',
      '\u001bb',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.nat(80), { maxLength: 6 }),
        (pieces, cuts) => {
          const text = pieces.join('');
          const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort(
            (left, right) => left - right,
          );
          // Reads are decoded to text before; half a surrogate pair never gets here.
          const whole = places.filter((place) => !/[\udc00-\udfff]/.test(text[place] ?? ''));
          const reads = [...whole, text.length].map((place, index) =>
            text.slice(whole[index - 1] ?? 0, place),
          );
          expect(decode(...reads)).toEqual(decode(text));
        },
      ),
    );
  });
});
