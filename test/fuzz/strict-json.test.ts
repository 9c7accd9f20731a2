// The strict reader of JSON, against texts that are made with the knowledge of what is wrong with them.
import fc from 'fast-check';
import { expect } from 'vitest';

import { isWellFormed, MAX_DEPTH, parseStrictJson, toWellFormed } from '../../src/core/index.js';
import { fuzzTarget } from './fuzz.js';

/** A text of JSON, and whether the strict reader may take it. */
interface Written {
  readonly text: string;
  readonly isStrict: boolean;
  readonly depth: number;
}

const KEYS = ['a', 'b', '', '__proto__', 'constructor', 'prototype', 'toString', '\u00e9'];

/** A string in quotes: each character as it is or as an escape, and halves of pairs. */
function strings(from: fc.Arbitrary<string>): fc.Arbitrary<Written & { readonly value: string }> {
  const half = fc.integer({ min: 0, max: 19 }).map((number) => (number === 0 ? '\uD83D' : ''));
  return fc.tuple(from, half, fc.array(fc.boolean(), { minLength: 1 })).map(([text, broken, escapes]) => {
    const value = `${text}${broken}`;
    const written = Array.from(value).map((character, index) => {
      const isEscaped = escapes[index % escapes.length] === true;
      if (!isEscaped) return JSON.stringify(character).slice(1, -1);
      return Array.from({ length: character.length }, (_, unit) =>
        unitEscape(character.charCodeAt(unit)),
      ).join('');
    });
    return { value, text: `"${written.join('')}"`, isStrict: isWellFormed(value), depth: 0 };
  });
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

function scalars(): fc.Arbitrary<Written> {
  const plain = fc.constantFrom(
    'true',
    'false',
    'null',
    '0',
    '-0',
    '1e5',
    '-2.50E-3',
    '12345678901234567890',
  );
  const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number));
  const huge = fc
    .constantFrom('1e400', '-1e999')
    .map((text): Written => ({ text, isStrict: false, depth: 0 }));
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.oneof(plain, numbers).map((text): Written => ({ text, isStrict: true, depth: 0 })),
    },
    {
      weight: 4,
      arbitrary: strings(fc.string({ unit: 'binary', maxLength: 6 }).map(toWellFormed)),
    },
    { weight: 1, arbitrary: huge },
  );
}

/** True for an object with the key `prototype`: below `constructor` it would reach one. */
function namesPrototype({ text, isStrict }: Written): boolean {
  const value: unknown = isStrict ? JSON.parse(text) : undefined;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

function values(): fc.Arbitrary<Written> {
  const space = fc.constantFrom('', '', ' ', '\n\t', '\r\n ');
  const { value } = fc.letrec<{ value: Written }>((tie) => {
    const members = fc.array(fc.tuple(strings(fc.constantFrom(...KEYS)), space, tie('value')), {
      maxLength: 4,
    });
    const object = fc.tuple(members, space).map(([all, end]): Written => {
      const keys = all.map(([key]) => key.value);
      const isStrict =
        new Set(keys).size === keys.length &&
        !keys.includes('__proto__') &&
        all.every(([key, , member]) => key.isStrict && member.isStrict) &&
        !all.some(([key, , member]) => key.value === 'constructor' && namesPrototype(member));
      const text = all.map(([key, gap, member]) => `${gap}${key.text}${gap}:${gap}${member.text}`).join(',');
      return { text: `{${text}${end}}`, isStrict, depth: 1 + deepest(all.map(([, , member]) => member)) };
    });
    const list = fc
      .tuple(fc.array(fc.tuple(space, tie('value')), { maxLength: 4 }), space)
      .map(([all, end]): Written => {
        const text = all.map(([gap, item]) => `${gap}${item.text}${gap}`).join(',');
        const isStrict = all.every(([, item]) => item.isStrict);
        return { text: `[${text}${end}]`, isStrict, depth: 1 + deepest(all.map(([, item]) => item)) };
      });
    return { value: fc.oneof({ depthSize: 'small' }, scalars(), object, list) };
  });
  const levels = fc.oneof(
    { weight: 9, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 55, max: 70 }) },
  );
  return fc.tuple(value, levels, space).map(([inner, around, gap]) => ({
    text: `${gap}${'['.repeat(around)}${inner.text}${']'.repeat(around)}${gap}`,
    isStrict: inner.isStrict && inner.depth + around <= MAX_DEPTH,
    depth: inner.depth + around,
  }));
}

function deepest(written: readonly Written[]): number {
  return Math.max(0, ...written.map(({ depth }) => depth));
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isOwn = Array.isArray(value) ? prototype === Array.prototype : prototype === Object.prototype;
  return isOwn && Object.values(value).every(isPlain);
}

/** The value of a text, where it is taken; it is then what `JSON.parse` makes of it. */
function takes(text: string): boolean {
  const read = parseStrictJson(text);
  if (!read.ok) {
    expect(read.at).toBeLessThanOrEqual(text.length);
    return false;
  }
  expect(JSON.stringify(read.value)).toBe(JSON.stringify(JSON.parse(text)));
  expect(isPlain(read.value)).toBe(true);
  return true;
}

fuzzTarget('strict-json', {
  'takes a text if and only if nothing is wrong with it (G8, T17)': {
    runs: 500,
    property: () =>
      fc.property(values(), ({ text, isStrict }) => {
        expect(takes(text)).toBe(isStrict);
        return true;
      }),
  },
  'takes no beginning of an object or a list': {
    property: () =>
      fc.property(values(), fc.nat(), ({ text }, cut) => {
        const whole = text.trim();
        if (!whole.startsWith('{') && !whole.startsWith('[')) return true;
        expect(takes(whole.slice(0, cut % whole.length))).toBe(false);
        return true;
      }),
  },
  'takes nothing that `JSON.parse` refuses, however a text was changed, and nothing with a prototype': {
    runs: 500,
    property: () => {
      const piece = fc.constantFrom(
        '',
        '"',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '\\',
        '\\u',
        '1',
        'e',
        '-',
        '\u0000',
        '\uFEFF',
        'null',
      );
      return fc.property(values(), fc.nat(), fc.nat(3), piece, ({ text }, place, length, added) => {
        const at = place % (text.length + 1);
        takes(text.slice(0, at) + added + text.slice(at + length));
        return true;
      });
    },
  },
});
