import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createLineSource, noLines } from '../../src/human/index.js';
import type { LineSource } from '../../src/human/index.js';

const never = new AbortController().signal;

async function readAll(source: LineSource): Promise<readonly string[]> {
  const texts: string[] = [];
  for (;;) {
    const line = await source.next(never);
    if (line === undefined) return texts;
    expect(line.number).toBe(texts.length + 1);
    texts.push(line.text);
  }
}

function linesOf(...chunks: readonly (string | Uint8Array)[]): LineSource {
  return createLineSource(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
}

describe('the reader of stdin', () => {
  test.for([
    ['lines', 'hi\ny\nbye\n', ['hi', 'y', 'bye']],
    ['a last line without a line break (G29)', 'hi\ny', ['hi', 'y']],
    ['CRLF as LF', 'hi\r\ny\r\n', ['hi', 'y']],
    ['a CRLF without its LF at the end', 'hi\r', ['hi']],
    ['a lone carriage return as part of the line', 'a\rb\n', ['a\rb']],
    ['empty lines', '\n\nhi\n', ['', '', 'hi']],
    ['U+2028 as text', 'a\u2028b\n', ['a\u2028b']],
    ['a byte order mark at the start as no text', '\uFEFFy\n\uFEFFy\n', ['y', '\uFEFFy']],
    ['no input', '', []],
    ['a byte order mark alone as no input', '\uFEFF', []],
    ['a byte order mark and a line break as an empty line', '\uFEFF\n', ['']],
  ] as const)('takes %s', async ([, input, expected]) => {
    expect(await readAll(linesOf(input))).toEqual(expected);
  });

  test('takes the same lines however the bytes arrive', async () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }).filter((text) => !/[\n\0]|\r$/.test(text)));
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        async (expected, sizes) => {
          const bytes = Buffer.from(expected.map((text) => `${text}\n`).join(''));
          const chunks: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length]!;
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          const source = createLineSource(Readable.from(chunks));
          expect(await readAll(source)).toEqual(
            expected.map((text, index) => (index === 0 ? text.replace(/^\uFEFF/, '') : text)),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test('takes one byte at a time, also inside a letter', async () => {
    const bytes = Buffer.from('Zürich\r\ny\n');
    expect(await readAll(linesOf(...Array.from(bytes, (byte) => Uint8Array.of(byte))))).toEqual([
      'Zürich',
      'y',
    ]);
  });

  test('takes text as well as bytes', async () => {
    const input = new PassThrough({ encoding: 'utf8' });
    input.end('Zürich\ny');
    expect(await restOf(createLineSource(input))).toEqual(['Zürich', 'y']);
  });

  test('refuses a line of more than 64 MiB instead of keeping it', async () => {
    const piece = Buffer.alloc(16 << 20, 'x');
    const source = createLineSource(Readable.from(Array.from({ length: 6 }, () => piece)));
    await expect(source.next(never)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: 'line 1 of stdin is longer than 67108864 bytes',
    });
  });

  test('takes a line of 10 MB', async () => {
    const long = 'x'.repeat(10 << 20);
    expect(await readAll(linesOf(long, '\ny'))).toEqual([long, 'y']);
  });

  test.for([
    ['is not UTF-8', Uint8Array.of(0x79, 0xff, 0x0a)],
    ['is not UTF-8', Uint8Array.of(0xc3)],
    ['contains a NUL character', Uint8Array.of(0x79, 0x00, 0x0a)],
  ] as const)('gives the lines before one that %s, then names it', async ([what, bytes]) => {
    const source = linesOf('hi\n', bytes, 'y\n');
    expect(await source.next(never)).toEqual({ text: 'hi', number: 1 });
    const failure = { code: 'BAD_INPUT', message: `line 2 of stdin ${what}` };
    await expect(source.next(never)).rejects.toMatchObject(failure);
    await expect(source.next(never)).rejects.toMatchObject(failure);
  });

  test('says that the stream could not be read', async () => {
    const input = new PassThrough();
    const source = createLineSource(input, { name: 'answers' });
    const next = source.next(never);
    input.destroy(new Error('EISDIR'));
    await expect(next).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: 'cannot read answers: EISDIR',
    });
  });

  test('counts the end of a stream that is closed without one', async () => {
    const input = new PassThrough();
    const source = createLineSource(input);
    const next = source.next(never);
    input.destroy();
    expect(await next).toBeUndefined();
  });

  test('N2: loses no line when a call is aborted', async () => {
    const input = new PassThrough();
    const source = createLineSource(input);
    const stop = new AbortController();
    const aborted = source.next(stop.signal);
    stop.abort(new Error('withdrawn'));
    await expect(aborted).rejects.toThrow('withdrawn');
    input.end('hi\ny\n');
    expect(await readAll(source)).toEqual(['hi', 'y']);
  });

  test('takes nothing under a signal that has aborted', async () => {
    const source = linesOf('hi\n');
    await expect(source.next(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(await readAll(source)).toEqual(['hi']);
  });

  test('shows what has arrived without taking it', async () => {
    const input = new PassThrough();
    input.write('hi\ny\nby');
    const source = createLineSource(input);
    expect(source.arrived()).toEqual([]);
    await source.next(never);
    expect(source.arrived()).toEqual([{ text: 'y', number: 2 }]);
    input.end('e');
    expect(await restOf(source)).toEqual(['y', 'bye']);
  });

  test('N3: does not read an endless script to its end', async () => {
    let made = 0;
    const endless = new Readable({
      read() {
        made += 1;
        this.push(Buffer.from('y\n'.repeat(8_192)));
      },
    });
    const source = createLineSource(endless);
    for (let taken = 0; taken < 100; taken += 1) await source.next(never);
    await nextTick();
    const before = made;
    await nextTick();
    expect(made).toBe(before);
    expect(made).toBeLessThan(100);
    source.close();
  });

  test('ends when it is closed, also for who waits', async () => {
    const input = new PassThrough();
    const source = createLineSource(input);
    const next = source.next(never);
    source.close();
    expect(await next).toBeUndefined();
    expect(input.destroyed).toBe(true);
  });
});

async function restOf(source: LineSource): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let line = await source.next(never); line !== undefined; line = await source.next(never))
    texts.push(line.text);
  return texts;
}

test('a source without lines has ended', async () => {
  const source = noLines();
  expect(await source.next(never)).toBeUndefined();
  expect(source.arrived()).toEqual([]);
  source.close();
});
