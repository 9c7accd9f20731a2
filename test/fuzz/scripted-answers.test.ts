// Scripts on stdin: lines of every kind, in pieces of any size, with too many of them and too few.
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';

import fc from 'fast-check';
import { expect } from 'vitest';

import { isHitlError } from '../../src/core/index.js';
import { createLineSource, createScriptedInput } from '../../src/human/index.js';
import { callInterrupt, stateWith, TRANSFER } from '../human/open-interrupt.js';
import { fuzzTarget } from './fuzz.js';

const never = new AbortController().signal;
const STATE = stateWith(TRANSFER);

interface Script {
  readonly bytes: Buffer;
  /** The lines as a reader must give them, up to the first that cannot be read. */
  readonly lines: readonly string[];
  readonly isBroken: boolean;
}

const BROKEN = [[0x79, 0x00], [0xff], [0xc3], [0xed, 0xa0, 0x80]].map((bytes) => Buffer.from(bytes));

/** Lines with any ends, some of them not UTF-8, with or without a last line break and a mark in front. */
function scripts(line: fc.Arbitrary<string>): fc.Arbitrary<Script> {
  const texts = fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 12 });
  const broken = fc.option(fc.tuple(fc.nat(12), fc.constantFrom(...BROKEN)), { freq: 4, nil: undefined });
  return fc.tuple(texts, broken, fc.boolean(), fc.boolean()).map(([all, wrong, isOpen, hasMark]) => {
    const at = wrong === undefined ? all.length : wrong[0] % (all.length + 1);
    const pieces = all.map(([text, end], index) =>
      Buffer.from(isOpen && index === all.length - 1 ? text : text + end),
    );
    const lines = all.slice(0, at).map(([text]) => text);
    const last = all.at(-1)?.[0];
    if (isOpen && wrong === undefined && last === '') lines.pop(); // nothing after the last line break is no line
    const mark = hasMark ? [Buffer.from([0xef, 0xbb, 0xbf])] : [];
    const before = pieces.slice(0, at);
    // A broken line stands between whole ones, so the one before it has its end.
    const bad =
      wrong === undefined
        ? []
        : [
            ...(isOpen && at === all.length && at > 0 ? [Buffer.from('\n')] : []),
            wrong[1],
            Buffer.from('\n'),
          ];
    const bytes = Buffer.concat([...mark, ...before, ...bad, ...pieces.slice(at)]);
    return { bytes, lines, isBroken: wrong !== undefined };
  });
}

const anyLine = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom('', ' ', 'y', 'n', '/quit', 'x'.repeat(100_000)),
  )
  .map((text) => text.replaceAll(/[\n\0\uFEFF\uD800-\uDFFF]|\r$/gu, ''));

/** The bytes in pieces of these sizes, some of them after a while. */
function streamOf(bytes: Buffer, sizes: readonly number[]): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      if (size % 3 === 0) await nextTick();
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  return Readable.from(pieces());
}

const sizesArbitrary = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(4096, 65_536)), {
  minLength: 1,
  maxLength: 6,
});

/** A conversation with these lines: a turn, then as many answers as it asks for; what was taken and what is left. */
async function played(bytes: Buffer, sizes: readonly number[], questions: readonly number[]) {
  const input = createScriptedInput({
    lines: createLineSource(streamOf(bytes, sizes)),
    onInterrupt: 'stop',
    actorName: 'ann',
  });
  const journal: unknown[] = [];
  try {
    for (const [turn, count] of questions.entries()) {
      const next = await input.turns.next(STATE, never);
      journal.push(next);
      if (next.type === 'end') break;
      for (let number = 0; number < count; number += 1) {
        const open = callInterrupt({ to: 'A', amount: 1 + number }, { id: `i${turn}-${number}` });
        journal.push(await input.channel.ask([open], STATE, never));
      }
    }
  } catch (error) {
    if (!isHitlError(error)) throw error;
    journal.push(error.code);
  }
  await nextTick();
  return journal;
}

fuzzTarget('scripted-answers', {
  'are taken line by line, each once and in order, up to one that cannot be read (G29)': {
    runs: 300,
    property: () =>
      fc.asyncProperty(scripts(anyLine), sizesArbitrary, async ({ bytes, lines, isBroken }, sizes) => {
        const source = createLineSource(streamOf(bytes, bytes.length > 50_000 ? [65_536] : sizes));
        const taken: string[] = [];
        let failure: unknown;
        try {
          for (;;) {
            const line = await source.next(never);
            if (line === undefined) break;
            taken.push(line.text);
            expect(line.number).toBe(taken.length);
          }
        } catch (error) {
          failure = error;
        }
        expect(taken).toEqual(lines);
        expect(isHitlError(failure) ? failure.code : failure).toBe(isBroken ? 'BAD_INPUT' : undefined);
        return true;
      }),
  },
  'come to the same journal however they arrive; where they end, what is asked stays open (G27, G29)': {
    runs: 300,
    property: () => {
      const line = fc.constantFrom(
        'y',
        'n',
        'c',
        'hello',
        '',
        '"""',
        '{"action":"restart"}',
        'maybe',
        'a "done"',
      );
      const questions = fc.array(fc.nat(3), { minLength: 1, maxLength: 4 });
      return fc.asyncProperty(scripts(line), sizesArbitrary, questions, async ({ bytes }, sizes, asked) => {
        const journal = await played(bytes, sizes, asked);
        expect(await played(bytes, [bytes.length + 1], asked)).toEqual(journal);
        const answers = journal.filter((one) => typeof one === 'object' && one !== null && 'answer' in one);
        const places = answers.map((one) => (one as { answer: { by: { place: string } } }).answer.by.place);
        expect(new Set(places).size).toBe(places.length);
        const approved = answers.filter((one) => JSON.stringify(one).includes('"restart"'));
        const yes = bytes
          .toString('utf8')
          .split(/\r?\n/u)
          .filter((text) => /^\s*(?:y|\{"action":"restart"\})\s*$/u.test(text.replace('\uFEFF', '')));
        expect(approved.length).toBeLessThanOrEqual(yes.length);
        return true;
      });
    },
  },
  'that were not needed are reported, each of them': {
    property: () =>
      fc.asyncProperty(
        fc.array(fc.constantFrom('y', 'n', 'more', ' '), { minLength: 1, maxLength: 9 }),
        fc.nat(8),
        async (lines, used) => {
          const source = createLineSource(
            streamOf(Buffer.from(lines.map((line) => `${line}\n`).join('')), [4096]),
          );
          const input = createScriptedInput({ lines: source, onInterrupt: 'stop', actorName: 'ann' });
          const count = Math.min(Math.max(1, used), lines.length);
          for (let turn = 0; turn < count; turn += 1) await input.turns.next(STATE, never);
          expect(input.leftovers().map(({ text }) => text)).toEqual(
            lines.slice(count).filter((line) => line.trim() !== ''),
          );
          return true;
        },
      ),
  },
});
