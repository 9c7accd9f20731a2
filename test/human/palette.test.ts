import { expect, test } from 'vitest';

import { Palette } from '../../src/human/composer/palette.js';

const offers = [
  { line: '/help', label: '/help', help: 'Show commands and keys' },
  { line: '/a', label: '/a [a long argument of it]', help: 'short' },
];

test('a palette aligns its help with plain spaces', () => {
  expect(new Palette(offers, undefined).rows(80)).toEqual([
    '❯ /help                       Show commands and keys',
    '  /a [a long argument of it]  short',
  ]);
});

test('no row of a palette is wider than the screen', () => {
  expect(new Palette(offers, undefined).rows(40)).toEqual([
    '❯ /help                       Show com…',
    '  /a [a long argument of it]  short',
  ]);
  expect(new Palette(offers, undefined).rows(24)).toEqual(['❯ /help', '  /a [a long argument …']);
});
