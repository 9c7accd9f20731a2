import { expect, test } from 'vitest';

import { columnsOf } from '../../src/core/index.js';

/** Two columns, rare, and no part of what stands before it: with it a text is measured character by character. */
const WIDE = '㐀';

/** Signs before a number, vowels and marks of width of their own: they are one character with what stands beside them. */
const JOINED = '600 601 602 603 604 605 6dd 70f 890 891 8e2 d4e e33 eb3 ff9e ff9f'.split(' ');

test('a character of the first plane is as wide alone as in a text that is measured character by character, but for what joins its neighbours', () => {
  const wrong: string[] = [];
  for (let code = 0x20; code < 0x10000; code += 1) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const character = String.fromCharCode(code);
    if (columnsOf(character) !== columnsOf(`${WIDE}${character}${WIDE}`) - 4) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual(JOINED);
});
