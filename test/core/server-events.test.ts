import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ServerEvent } from '../../src/core/told/server-events.js';
import { ServerEventDecoder } from '../../src/core/told/server-events.js';

const tooLong = () => new Error('too long');

function eventsOf(...pieces: readonly (string | Uint8Array)[]): readonly ServerEvent[] {
  const decoder = new ServerEventDecoder(tooLong);
  return pieces.flatMap((piece) => [
    ...decoder.take(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece),
  ]);
}

describe('a stream of server-sent events', () => {
  test.for<[string, string, readonly ServerEvent[]]>([
    ['a name and data', 'event: a\ndata: 1\n\n', [{ name: 'a', data: '1' }]],
    ['no space after the colon, and more than one', 'event:a\ndata:  1 \n\n', [{ name: 'a', data: ' 1 ' }]],
    ['data of several lines', 'data: 1\ndata:\ndata: 2\n\n', [{ name: '', data: '1\n\n2' }]],
    [
      'a name for one event only',
      'event: a\ndata: 1\n\ndata: 2\n\n',
      [
        { name: 'a', data: '1' },
        { name: '', data: '2' },
      ],
    ],
    ['a name without data', 'event: a\n\ndata: 1\n\n', [{ name: '', data: '1' }]],
    [
      'comments, ids and fields without a meaning',
      ': hi\nid: 7\nretry: 1\nfoo\ndata: 1\n\n',
      [{ name: '', data: '1' }],
    ],
    [
      'blank lines between events',
      '\n\ndata: 1\n\n\n\ndata: 2\n\n',
      [
        { name: '', data: '1' },
        { name: '', data: '2' },
      ],
    ],
    ['a byte order mark', '\uFEFFdata: 1\n\n', [{ name: '', data: '1' }]],
    ['an event that has not ended', 'data: 1\n\ndata: 2\n', [{ name: '', data: '1' }]],
  ])('with %s', ([, text, events]) => {
    expect(eventsOf(text)).toEqual(events);
  });

  const text = 'event: a\ndata: {"t":"Grüße 😀"}\n\n: x\ndata: 1\ndata: 2\n\ndata: cut';
  const events = [
    { name: 'a', data: '{"t":"Grüße 😀"}' },
    { name: '', data: '1\n2' },
  ];

  test.for(['\n', '\r\n', '\r'])(
    'is the same with %j for a line break, cut at every byte (E1)',
    (lineBreak) => {
      const bytes = new TextEncoder().encode(text.replaceAll('\n', lineBreak));
      for (let at = 0; at <= bytes.length; at += 1) {
        expect(eventsOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(events);
      }
    },
  );

  test('is the same with each of the three line breaks, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (lineBreak, sizes) => {
          const bytes = new TextEncoder().encode(text.replaceAll('\n', lineBreak));
          const pieces: Uint8Array[] = [];
          for (let at = 0, n = 0; at < bytes.length; n += 1) {
            const size = sizes[n % sizes.length] ?? 1;
            pieces.push(bytes.subarray(at, at + size));
            at += size;
          }
          expect(eventsOf(...pieces)).toEqual(events);
        },
      ),
    );
  });

  test('tells an event with the piece that ends it', () => {
    const decoder = new ServerEventDecoder(tooLong);
    const take = (text: string) => [...decoder.take(new TextEncoder().encode(text))];

    expect(take('data: 1\n\ndata: 2\n')).toEqual([{ name: '', data: '1' }]);
    expect(take('\n')).toEqual([{ name: '', data: '2' }]);
  });
});

describe('T18 a line of a stream of events', () => {
  const piece = new TextEncoder().encode('x'.repeat(1_000_000));

  test('a line of a stream of events may have eight million characters', () => {
    const decoder = new ServerEventDecoder(tooLong);
    const data = [...decoder.take(new TextEncoder().encode('data:'))];
    for (let count = 0; count < 7; count += 1) data.push(...decoder.take(piece));
    data.push(...decoder.take(new TextEncoder().encode('\n\n')));
    expect(data.map((event) => event.data.length)).toEqual([7_000_000]);
  });

  test('a line that is too long is given up, before and after its end came', () => {
    const endless = new ServerEventDecoder(tooLong);
    let pieces = 0;
    expect(() => {
      for (;;) {
        pieces += 1;
        endless.take(piece).next();
      }
    }).toThrow('too long');
    expect(pieces).toBe(9);
    const whole = new TextEncoder().encode(`data:${'x'.repeat(8_000_000)}\n\n`);
    expect(() => [...new ServerEventDecoder(tooLong).take(whole)]).toThrow('too long');
  });
});
