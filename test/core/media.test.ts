import { describe, expect, test } from 'vitest';

import { kindOfMedia, mediaKind, mediaPart, mediaProblem, mediaWords } from '../../src/core/index.js';
import { pngOf } from '../helpers/png.js';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
const webp = (chunk: string, ...rest: readonly number[]) =>
  bytes('RIFF', [0, 0, 0, 0], 'WEBP', chunk, [0, 0, 0, 0], [...rest, ...Array.from({ length: 20 }, () => 0)]);
const jpeg = bytes(
  [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2], // a segment that is passed over
  [0xff, 0xff, 0xc2, 0, 11, 8, 1, 0xe0, 2, 0x80, 3],
);

test.for([
  ['PNG', pngOf(640, 480), { type: 'image/png', width: 640, height: 480 }],
  ['JPEG', jpeg, { type: 'image/jpeg', width: 640, height: 480 }],
  ['JPEG whose size is not at its start', bytes([0xff, 0xd8, 0xff]), { type: 'image/jpeg' }],
  ['GIF', bytes('GIF89a', [0x80, 2, 0xe0, 1, 0xf7, 0, 0]), { type: 'image/gif', width: 640, height: 480 }],
  [
    'lossy WebP',
    webp('VP8 ', 0, 0, 0, 0, 0, 0, 0x80, 2, 0xe0, 1),
    { type: 'image/webp', width: 640, height: 480 },
  ],
  ['lossless WebP', webp('VP8L', 0x2f, 0x7f, 0xc2, 0x77, 0), { type: 'image/webp', width: 640, height: 480 }],
  [
    'extended WebP',
    webp('VP8X', 0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0),
    { type: 'image/webp', width: 640, height: 480 },
  ],
  ['PDF', bytes('%PDF-1.7'), { type: 'application/pdf' }],
  ['text that begins like a GIF', bytes('GIF89a is an old format'), undefined],
  ['PNG that is cut', pngOf(1, 1).subarray(0, 20), undefined],
  ['PNG without an extent', pngOf(0, 5), undefined],
  ['nothing', bytes(), undefined],
] as const)('the kind of a file is told by its bytes: %s', ([, start, kind]) => {
  expect(mediaKind(start)).toEqual(kind);
});

describe('an attachment', () => {
  test('keeps its bytes and is told in a line, its name made safe', () => {
    const start = pngOf(640, 480);
    const part = mediaPart(Buffer.concat([start, Buffer.alloc(12_000)]), mediaKind(start)!, 'a\u001b[2J.png');
    expect(kindOfMedia(part)).toEqual({ type: 'image/png', width: 640, height: 480 });
    expect(mediaWords(part)).toBe('[image a\\u{1B}[2J.png 640×480 12 kB]');
  });

  test.for([
    [{ url: 'data:audio/mpeg;base64,AAAA', contentType: 'audio/mpeg' }, '[audio/mpeg 3 bytes]'],
    [{ url: 'https://example.com/a.png' }, '[file https://example.com/a.png]'],
    [{ url: `data:application/pdf;base64,${Buffer.from('%PDF-').toString('base64')}` }, '[PDF 5 bytes]'],
  ] as const)('of another kind, or elsewhere, is told as what it says: %j', ([part, words]) => {
    expect(mediaWords(part)).toBe(words);
  });

  test.for([
    ['image/png', 5_000_001, 'is an image larger than 5.0 MB'],
    ['application/pdf', 10_000_001, 'is a PDF larger than 10.0 MB'],
    ['application/pdf', 5_000_001, undefined],
  ] as const)('of type %s with %d bytes is refused: %j', ([type, size, problem]) => {
    expect(mediaProblem({ type }, size)).toBe(problem);
  });
});
