import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { documentPieces, listPieces } from '../../sessions/format/json-pieces.js';

/** Each piece is only good until the next one. */
function textOf(pieces: Iterable<Buffer>): string {
  return Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece))).toString('utf8');
}

describe('JSON in pieces', () => {
  test('is a document as it is written at once', () => {
    const documents = fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((key) => key !== '__proto__'),
      fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.constant(undefined)),
    );
    fc.assert(
      fc.property(documents, (document) => {
        expect(textOf(documentPieces(document))).toBe(JSON.stringify(document, null, 2));
      }),
    );
  });

  test('is a list as it is written at once', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (list) => {
        expect(textOf(listPieces(list))).toBe(`${JSON.stringify(list)}\n`);
      }),
    );
  });

  test('is never there as a whole', () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ index, text: 'é'.repeat(10_000) }));
    const document = { format: 'long', items };
    const lengths = Array.from(documentPieces(document), ({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThan(200_000);
    expect(textOf(documentPieces(document))).toBe(JSON.stringify(document, null, 2));
    expect(textOf(listPieces(items))).toBe(`${JSON.stringify(items)}\n`);
  });
});
