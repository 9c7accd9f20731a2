import { readdir, readFile } from 'node:fs/promises';

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { schemaFiles } from '../../scripts/make-schemas.js';
import { isSessionId, openInterrupts, transcriptMessages } from '../../src/core/index.js';
import type { JsonValue, SessionEvent, SessionId, TranscriptDocument } from '../../src/core/index.js';
import {
  answersEntrySchema,
  interruptSchema,
  jsonObjectSchema,
  jsonValueSchema,
  partSchema,
  resolutionSchema,
  sessionEventSchema,
  storedEventSchema,
  transcriptDocumentSchema,
  transcriptPartSchema,
  transientEventSchema,
} from '../../src/core/told/schemas.js';
import { createJsonLinesRenderer, resultOf } from '../../src/render/index.js';
import { confirmation, statesOf, stateOf, story, transients } from '../render/story.js';
import { agreements, differences } from './schemas-agreement.js';

const session = 's1' as SessionId;
const folder = new URL('../../schemas/', import.meta.url);
const asked = confirmation('i1', 'a', 'transfer_money', { to: 'Ann', amount: 200 });

type Validate = (value: unknown) => void;

/** Judges of documents by published schema; they throw what does not fit. */
let published: Readonly<Record<string, Validate>> = {};

beforeAll(async () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  const names = (await readdir(folder)).filter((name) => name.endsWith('.schema.json'));
  const judges = names.map(async (name): Promise<[string, Validate]> => {
    const validate = ajv.compile(JSON.parse(await readFile(new URL(name, folder), 'utf8')));
    return [
      name,
      (value) => {
        if (!validate(value)) throw new Error(ajv.errorsText(validate.errors));
      },
    ];
  });
  published = Object.fromEntries(await Promise.all(judges));
});

function fits(name: string, value: unknown): boolean {
  try {
    published[name]?.(JSON.parse(JSON.stringify(value)));
    return true;
  } catch {
    return false; // the judge says no
  }
}

function transcriptOf(events: readonly SessionEvent[]): TranscriptDocument {
  const state = stateOf(events);
  return {
    format: 'hitl-transcript',
    version: 1,
    id: session,
    title: 'Rent',
    createdAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T03:09:05.000Z',
    ...(state.agent !== undefined && { agent: state.agent }),
    status: openInterrupts(state).length > 0 ? 'waiting' : 'done',
    messages: transcriptMessages(state),
    interrupts: [
      ...state.resolved.toArray().map(({ interrupt, ...decided }) => ({ ...interrupt, ...decided })),
      ...openInterrupts(state),
    ],
    usage: state.usage,
    ...(state.parent !== undefined && { parent: state.parent }),
  };
}

describe('the schemas of core', () => {
  test('agree with the written types, both ways', () => {
    // The compiler has checked it; here is only that there was something to check.
    expect([agreements.length, differences.length]).toEqual([16, 3]);
  });

  test.for(story.map((event) => [event.type, event] as const))('take a %s event as it is', ([, event]) => {
    expect(sessionEventSchema.parse(event)).toEqual(event);
  });

  test.for(transients.map((event) => [event.type, event] as const))(
    'take a %s event as it is',
    ([, event]) => {
      expect(transientEventSchema.parse(event)).toEqual(event);
    },
  );

  test('take a line of a journal as it is', () => {
    const line = { v: 2, seq: 1, at: '2026-01-02T03:04:05.000Z', scope: '', event: story[0] };
    expect(storedEventSchema.parse(line)).toEqual(line);
  });

  test.for(['a', '0-_', 'x'.repeat(64), '', 'A', '-a', 'x'.repeat(65), 'a/b', '..'])(
    'say of %j what the product says of it as the id of a session',
    (id) => {
      const told = [transcriptDocumentSchema.shape.id.safeParse(id).success];
      const document = { ...transcriptOf(story), id };
      told.push(fits('transcript.schema.json', document));
      expect(told).toEqual([isSessionId(id), isSessionId(id)]);
    },
  );

  test('refuse an event that nobody knows', () => {
    expect(sessionEventSchema.safeParse({ type: 'tool-exploded' }).success).toBe(false);
  });

  test('give back any JSON itself, with keys such as `__proto__`', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonValueSchema.parse(value)).toBe(value);
      }),
    );
    const trap: unknown = JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const parsed = jsonObjectSchema.parse(trap);
    expect(parsed).toBe(trap);
    expect(JSON.stringify(parsed)).toBe('{"__proto__":{"admin":true},"a":1}');
  });

  test.for<[string, unknown]>([
    ['undefined', undefined],
    ['NaN', NaN],
    ['an infinite number', Infinity],
    ['a function', () => 1],
    ['an undefined member', { a: undefined }],
    ['a symbol in a list', [Symbol('x')]],
    ['a big integer', 10n],
  ])('refuse %s as JSON', ([, value]) => {
    expect(jsonValueSchema.safeParse(value).success).toBe(false);
  });

  test.for([[[]], [null], ['text'], [1]])('refuse %j as a JSON object', ([value]) => {
    expect(jsonObjectSchema.safeParse(value).success).toBe(false);
  });

  test.for<[JsonValue]>([[0], [''], [false], [null], [[]]])(
    'take %j as the output of a respond',
    ([output]) => {
      expect(resolutionSchema.parse({ action: 'respond', output })).toEqual({ action: 'respond', output });
    },
  );

  test.for([
    [{ action: 'restart', inputs: { amount: 1 } }],
    [{ action: 'respond' }],
    [{ action: 'approve' }],
    [{ action: 'extend', by: 0 }],
    ['restart'],
  ])('refuse %j as a resolution', ([value]) => {
    expect(resolutionSchema.safeParse(value).success).toBe(false);
  });

  test('refuse a transcript part of two kinds or of none', () => {
    expect(transcriptPartSchema.safeParse({ text: 'a', data: 1 }).success).toBe(false);
    expect(transcriptPartSchema.safeParse({ metadata: {} }).success).toBe(false);
    expect(transcriptPartSchema.parse({ data: null })).toEqual({ data: null });
  });

  test('take content of multipart tools at any depth', () => {
    const part = {
      type: 'tool-response',
      ref: 'a',
      name: 'x',
      output: null,
      content: [{ type: 'media', url: 'data:', contentType: 'image/png' }],
    };
    expect(partSchema.parse(part)).toEqual(part);
    expect(partSchema.safeParse({ ...part, content: [{ type: 'media' }] }).success).toBe(false);
  });
});

describe('the published JSON Schemas', () => {
  test('are what the script makes of the schemas of core', async () => {
    const made = await schemaFiles();
    const names = (await readdir(folder)).sort();
    expect(names).toEqual([...made.keys()].sort());
    for (const [name, text] of made) expect(await readFile(new URL(name, folder), 'utf8')).toBe(text);
  });

  test('fit the transcript at every step of a session', () => {
    story.forEach((_, index) => {
      const transcript = transcriptOf(story.slice(0, index + 1));
      const written: unknown = JSON.parse(JSON.stringify(transcript));
      published['transcript.schema.json']?.(written);
      expect(transcriptDocumentSchema.parse(written)).toEqual(transcript);
    });
  });

  test('fit every line of stream-json', () => {
    const lines: string[] = [];
    const renderer = createJsonLinesRenderer({
      stdout: { write: (text: string) => lines.push(text) },
      session,
      now: () => '2026-01-02T03:04:05.000Z',
    });
    const states = statesOf(story);
    story.forEach((event, index) => {
      renderer.event(event, index + 1, states[index]!);
    });
    for (const event of transients) renderer.transient(event);
    renderer.notice('a tail was cut');
    expect(lines).toHaveLength(story.length + transients.length + 1);
    for (const line of lines) published['stream-event.schema.json']?.(JSON.parse(line));
  });

  test('fit the result at every step of a session, also as the last line of stream-json', () => {
    for (const state of statesOf(story)) {
      const messages = transcriptMessages(state);
      const result: unknown = JSON.parse(
        JSON.stringify(resultOf({ session, state, status: 'interrupted', messages })),
      );
      published['result.schema.json']?.(result);
      published['stream-event.schema.json']?.({ type: 'result', ...(result as object) });
    }
    published['result.schema.json']?.({ error: { code: 'USAGE', message: 'no', hint: 'yes' } });
  });

  test('fit interrupts and entries of an answers file', () => {
    published['interrupt.schema.json']?.(JSON.parse(JSON.stringify(asked)));
    expect(interruptSchema.parse(asked)).toEqual(asked);
    const entries = [
      { match: {}, answer: 'y' },
      {
        match: { tool: 'transfer_money', kind: 'confirmation', nth: 2 },
        answer: { action: 'restart' },
        times: 'any',
      },
      {
        match: { interrupt: 'i1', input: { amount: 1 } },
        answer: { action: 'respond', output: null },
        times: 3,
      },
    ];
    for (const entry of entries) {
      published['answer.schema.json']?.(entry);
      expect(answersEntrySchema.parse(entry)).toEqual(entry);
    }
  });

  test.for<[string, object]>([
    ['answer.schema.json', { match: { tol: 'x' }, answer: 'y' }],
    ['answer.schema.json', { match: {}, answer: { action: 'restart', inputs: 1 } }],
    ['answer.schema.json', { match: {}, answer: 'y', times: 0 }],
    ['interrupt.schema.json', { ...asked, kind: 'riddle' }],
    ['interrupt.schema.json', { ...asked, digest: 'abc' }],
    ['stream-event.schema.json', { type: 'text-delta', text: 'x' }],
    ['stream-event.schema.json', { session, type: 'run-ended', reason: { type: 'done' } }],
    ['result.schema.json', { session, status: 'ok' }],
    ['transcript.schema.json', { ...transcriptOf(story), version: 2 }],
    ['transcript.schema.json', { ...transcriptOf(story), messages: [{ role: 'user', content: [{}] }] }],
  ])('%s refuses %j', ([name, value]) => {
    expect(() => published[name]?.(JSON.parse(JSON.stringify(value)))).toThrow(/must/);
  });

  test('bear members of a later minor version', () => {
    published['transcript.schema.json']?.({ ...transcriptOf(story), tags: ['new'] });
    published['interrupt.schema.json']?.({ ...asked, urgency: 'high' });
  });
});
