// The stream of a model, cut, chunked, disordered, with strange lines in it.
import { readFileSync, readdirSync } from 'node:fs';

import fc from 'fast-check';
import { expect } from 'vitest';

import type { ModelReply } from '../../src/core/index.js';
import { isHitlError, parseStrictJson } from '../../src/core/index.js';
import { ask, eventStream, modelFrom, sse } from '../models/anthropic-server.js';
import { fuzzTarget } from './fuzz.js';

const FOLDER = new URL('../fixtures/anthropic/', import.meta.url);
const STREAMS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sse') && !name.startsWith('pause'))
  .map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));

/** The reply, or the code of the named error; anything else fails the test. */
async function outcomeOf(
  body: string | Uint8Array,
  sizes: readonly number[] = [Infinity],
  then?: 'destroy',
): Promise<ModelReply | string> {
  try {
    const model = modelFrom(() => ({ ...sse(''), body, sizes, ...(then && { then }) }));
    return (await ask(model)).reply;
  } catch (error) {
    if (isHitlError(error)) return error.code;
    throw error;
  }
}

/** What is left of the stream before its end: no reply is made of less. */
function endOf(stream: string): number {
  const last = stream.lastIndexOf('data: {"type":"message_stop"}');
  return last === -1 ? stream.length : last + 'data: {"type":"message_stop"}'.length;
}

const sizesArbitrary = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

/** Letters, escapes, pairs of surrogates: what a chunk border may cut through. */
const hardText = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '東', '😀', '\u2028', '\u0000'),
  maxLength: 12,
});

interface Block {
  readonly type: 'text' | 'tool_use';
  readonly text: string;
  readonly cuts: readonly number[];
}

const blockArbitrary: fc.Arbitrary<Block> = fc.record({
  type: fc.constantFrom('text' as const, 'tool_use' as const),
  text: hardText,
  cuts: fc.array(fc.nat(30), { maxLength: 6 }),
});

/** A message as events, its texts and inputs in pieces; `raw` changes the JSON of a tool's input. */
function eventsOf(blocks: readonly Block[], raw: (json: string) => string = (json) => json) {
  const isTool = blocks.some(({ type }) => type === 'tool_use');
  return [
    { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    ...blocks.flatMap((block, index) => {
      const start =
        block.type === 'text'
          ? { type: 'text', text: '' }
          : { type: 'tool_use', id: `t${index}`, name: 'pay', input: {} };
      const whole =
        block.type === 'text'
          ? block.text
          : raw(JSON.stringify({ note: block.text, nested: { list: [block.text] } }));
      const deltas = piecesOf(whole, block.cuts).map((piece) =>
        block.type === 'text'
          ? { type: 'text_delta', text: piece }
          : { type: 'input_json_delta', partial_json: piece },
      );
      return [
        { type: 'content_block_start', index, content_block: start },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ];
    }),
    {
      type: 'message_delta',
      delta: { stop_reason: isTool ? 'tool_use' : 'end_turn' },
      usage: { output_tokens: 2 },
    },
    { type: 'message_stop' },
  ];
}

function piecesOf(text: string, cuts: readonly number[]): readonly string[] {
  const characters = Array.from(text);
  const places = [...new Set(cuts.map((cut) => cut % (characters.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [0, ...places].map((from, index) =>
    characters.slice(from, places[index] ?? characters.length).join(''),
  );
}

/** Inputs of the calls that would run. */
function runnable(reply: ModelReply): readonly unknown[] {
  return reply.content.flatMap((part) =>
    part.type === 'tool-request' && part.problem === undefined ? [part.input] : [],
  );
}

const NOISE = [
  ': a comment\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'id: 7\n\n',
  'retry: 10\n\n',
  '\n',
  'event: news\ndata: {"type":"news"}\n\n',
];

fuzzTarget('model-stream', {
  'is the same reply however its bytes arrive and its lines end': {
    property: () =>
      fc.asyncProperty(
        fc.constantFrom(...STREAMS),
        sizesArbitrary,
        fc.boolean(),
        async (stream, sizes, crlf) => {
          const body = crlf ? stream.replaceAll(/\r?\n/gu, '\r\n') : stream;
          expect(await outcomeOf(body, sizes)).toEqual(await outcomeOf(stream));
          return true;
        },
      ),
  },
  'is a reply of the texts that it carries, whatever they are and wherever they are cut': {
    property: () =>
      fc.asyncProperty(fc.array(blockArbitrary, { maxLength: 4 }), sizesArbitrary, async (blocks, sizes) => {
        const reply = await outcomeOf(eventStream(eventsOf(blocks)), sizes);
        if (typeof reply === 'string') throw new Error(reply);
        expect(runnable(reply)).toEqual(
          blocks
            .filter(({ type }) => type === 'tool_use')
            .map(({ text }) => ({ note: text, nested: { list: [text] } })),
        );
        const said = reply.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
        expect(said).toBe(blocks.map(({ type, text }) => (type === 'text' ? text : '')).join(''));
        return true;
      }),
  },
  'is no reply where it is cut, at whatever byte, and whoever cuts it (F25, G20)': {
    runs: 60,
    property: () =>
      fc.asyncProperty(
        fc.constantFrom(...STREAMS),
        fc.nat(),
        sizesArbitrary,
        fc.boolean(),
        async (stream, cut, sizes, breaks) => {
          const bytes = Buffer.from(stream);
          const end = cut % Buffer.byteLength(stream.slice(0, endOf(stream)));
          const outcome = await outcomeOf(bytes.subarray(0, end), sizes, breaks ? 'destroy' : undefined);
          expect(outcome).toBe('MODEL_FAILED');
          return true;
        },
      ),
  },
  'is the true reply or a named error where events are swapped, doubled, lost or strange (F25, G19)': {
    runs: 60,
    property: () => {
      const change = fc.record({
        what: fc.constantFrom('swap', 'double', 'lose', 'noise'),
        at: fc.nat(),
        more: fc.nat(),
      });
      return fc.asyncProperty(
        fc.constantFrom(...STREAMS),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        async (stream, changes) => {
          const reference = await outcomeOf(stream);
          const isPiece = (event: string) => event.includes('content_block_delta');
          let events: readonly string[] = stream.split(/(?<=\n\n)/u);
          for (const { what, at, more } of changes) {
            const index = at % Math.max(1, events.length);
            const event = events[index] ?? '';
            if (what === 'noise') events = events.toSpliced(index, 0, NOISE[more % NOISE.length]!);
            // The protocol does not number its pieces: without one, or in another order, they are another text.
            else if (isPiece(event) || (what === 'swap' && isPiece(events[index + 1] ?? ''))) continue;
            else if (what === 'double') events = events.toSpliced(index, 0, event);
            else if (what === 'lose') events = events.toSpliced(index, 1);
            else events = events.toSpliced(index, 2, events[index + 1] ?? '', event);
          }
          const outcome = await outcomeOf(events.join(''));
          if (typeof outcome === 'string' || typeof reference === 'string') return true;
          // What runs is never more than what was asked for; a call whose end was lost is not run.
          const asked = runnable(reference).map((input) => JSON.stringify(input));
          expect(asked).toEqual(
            expect.arrayContaining(runnable(outcome).map((input) => JSON.stringify(input))),
          );
          return true;
        },
      );
    },
  },
  'makes no input of JSON that is not whole or not strict (G20, T17)': {
    runs: 60,
    property: () => {
      const piece = fc.constantFrom(
        '',
        '"',
        '{',
        '}',
        ',',
        '\\',
        '\\ud83d',
        '1e999',
        '"note":1,',
        '"__proto__":{},',
      );
      return fc.asyncProperty(
        blockArbitrary,
        fc.nat(),
        fc.nat(2),
        piece,
        async (block, place, length, added) => {
          const tool: Block = { ...block, type: 'tool_use' };
          let sent = '';
          const change = (json: string) => {
            const at = place % (json.length + 1);
            sent = json.slice(0, at) + added + json.slice(at + length);
            return sent;
          };
          const reply = await outcomeOf(eventStream(eventsOf([tool], change)));
          if (typeof reply === 'string') return true;
          const read = parseStrictJson(sent === '' ? '{}' : sent);
          const isWhole = read.ok && typeof read.value === 'object' && !Array.isArray(read.value);
          if (!isWhole) expect(runnable(reply)).toEqual([]);
          else if (runnable(reply).length > 0) expect(runnable(reply)).toEqual([read.value]);
          return true;
        },
      );
    },
  },
});
