import { Buffer } from 'node:buffer';
import { deflateRawSync } from 'node:zlib';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  lineIn,
  packedLine,
  packedQuestion,
  packerOf,
  questionIn,
  textOf,
} from '../../sessions/postgres/packing.js';
import type { Packer } from '../../sessions/postgres/packing.js';
import type { SqlRow } from '../../sessions/postgres/index.js';
import type { Interrupt, OpenQuestion, ToolDescriptor } from '../../src/core/index.js';
import { toWellFormed } from '../../src/core/index.js';
import { confirmation } from '../sessions/sample-events.js';

const TOOL: ToolDescriptor = {
  name: 'pay',
  description: 'Pays – at once.',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
  ...{ effect: 'once', origin: 'module ./bank.js', restartable: true },
};
const TOOLS = JSON.stringify([TOOL]);

function packerFor(tools: readonly ToolDescriptor[] = [TOOL]): Packer {
  const packer = packerOf(textOf(tools));
  if (packer === undefined) throw new Error('it is no text');
  return packer;
}

/** A row as the database gives it. */
function rowOf(line: Buffer, packer: Packer | undefined): SqlRow {
  const { line: text, packed, cut } = packedLine(line, packer);
  return { line: text, packed: packed === null ? null : new Uint8Array(Buffer.from(packed, 'hex')), cut };
}

const lines = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.tuple(fc.string(), fc.string()).map(([head, tail]) => `${head}${TOOLS}${tail}`),
  fc
    .tuple(fc.json(), fc.json())
    .map(([head, tail]) => `{"v":2,${head},"agent":{"tools":${TOOLS}},${TOOLS}${tail}`),
);

describe('records that are packed', () => {
  test('come back as the bytes that they were (M3)', () => {
    fc.assert(
      fc.property(lines, (text) => {
        const line = Buffer.from(text);
        expect(lineIn(rowOf(line, packerFor()), packerFor())).toEqual(line);
        expect(lineIn(rowOf(line, undefined), packerFor())).toEqual(line);
      }),
    );
  });

  test('hold tool descriptions of any size in a few bytes', () => {
    const many = Array.from({ length: 400 }, (_, n) => ({
      ...TOOL,
      name: `tool_${n}`,
      description: `${Math.sin(n)} of ${n * 7919}`.repeat(4),
    }));
    const line = Buffer.from(`{"v":2,"seq":1,"event":{"agent":{"tools":${JSON.stringify(many)}}}}`);
    const row = rowOf(line, packerFor(many));
    expect(line.length).toBeGreaterThan(65_536);
    expect((row['packed'] as Uint8Array).length).toBeLessThan(60);
    expect(lineIn(row, packerFor(many))).toEqual(line);
  });

  const line = Buffer.from(`{"v":2,"event":{"agent":{"tools":${TOOLS}}}}`);
  const row = rowOf(line, packerFor());
  const bomb = deflateRawSync(Buffer.alloc(65 * 1024 * 1024));
  test.each<[string, SqlRow, Packer | undefined]>([
    ['without its text', row, undefined],
    ['whose bytes are none', { ...row, packed: new Uint8Array([1, 2, 3]) }, packerFor()],
    [
      'whose bytes are cut off',
      { ...row, packed: (row['packed'] as Uint8Array).subarray(0, 5) },
      packerFor(),
    ],
    ['that grows beyond all measure', { ...row, packed: bomb }, packerFor()],
    ['with text for bytes', { ...row, packed: 'x' }, packerFor()],
    ['cut before its beginning', { ...row, cut: -1 }, packerFor()],
    ['cut behind its end', { ...row, cut: 9_999 }, packerFor()],
    ['cut at no number', { ...row, cut: 'x' }, packerFor()],
  ])('are nothing that a record could be: %s', (_what, hostile, packer) => {
    expect(lineIn(hostile, packer)).toEqual(Buffer.alloc(0));
  });

  test('are no other record with another text', () => {
    expect(lineIn(row, packerFor([]))).not.toEqual(line);
    expect(packerOf('no line of descriptions')).toBeUndefined();
  });
});

describe('questions that are packed', () => {
  const asked = confirmation('i1', 'a', { amount: 200 });
  const vote = { action: 'approve', by: { type: 'person', name: 'ann', via: 'library' }, at: asked.raisedAt };

  /** A row as the database gives it. */
  function askedAs(question: OpenQuestion, packer: Packer | undefined): SqlRow {
    const { body, packed, digest } = packedQuestion(question, packer);
    const bytes = (hex: string | null) => (hex === null ? null : new Uint8Array(Buffer.from(hex, 'hex')));
    return { body, packed: bytes(packed), digest: bytes(digest), raised_at: question.interrupt.raisedAt };
  }

  test('come back as they were, with their votes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).map((text) => toWellFormed(text)),
        fc.constantFrom(packerFor(), packerFor([]), undefined),
        fc.constantFrom({}, { votes: [vote] as never }),
        (title, packer, beside) => {
          const interrupt = { ...asked, source: { ...asked.source, title } } as Interrupt;
          const row = askedAs({ interrupt, ...beside }, packer);
          expect(row['packed'] === null).toBe(packer === undefined);
          expect(questionIn(row, packer)).toEqual({ ...interrupt, ...beside });
        },
      ),
    );
  });

  test('are whole where their digest is no digest, or they wait for time', () => {
    const foreign = { ...asked, digest: 'AB' };
    const source = { type: 'node', nodeId: 'n', visit: 1, phase: 'run', wait: 'event' } as const;
    const wait = { ...asked, kind: 'question', source } as const;
    for (const interrupt of [foreign, wait])
      expect(packedQuestion({ interrupt }, packerFor())).toEqual({
        body: JSON.stringify(interrupt),
        packed: null,
        digest: null,
      });
  });

  const row = askedAs({ interrupt: asked }, packerFor());
  test.each<[string, SqlRow, Packer | undefined]>([
    ['without its text', row, undefined],
    ['with another text', row, packerOf('[]\nother')],
    ['without its digest', { ...row, digest: null }, packerFor()],
    ['whose bytes are none', { ...row, packed: new Uint8Array([1, 2, 3]) }, packerFor()],
    ['with text for bytes', { ...row, packed: 'x' }, packerFor()],
    ['whose body is no JSON', { ...row, packed: null, body: '{' }, packerFor()],
  ])('are nothing: %s', (_what, hostile, packer) => {
    expect(questionIn(hostile, packer)).toBeUndefined();
  });
});
