import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { chainOf, decodeLine, encodeLine, sealLine, unsealLine } from '../../sessions/format/codec.js';
import type { FileStore } from '../../sessions/index.js';
import type { FormatStep } from '../../sessions/format/format-steps.js';
import { FORMAT_STEPS } from '../../sessions/format/format-steps.js';
import type { SessionId, StoredEvent } from '../../src/core/index.js';
import { ROOT_PATH } from '../../src/core/index.js';
import { agent, said } from './sample-events.js';
import { temporaryStore } from './temporary-store.js';

const BEFORE = '0123456789abcdef';
const stored: StoredEvent = {
  v: 2,
  seq: 7,
  at: '2026-01-02T03:04:05.000Z',
  scope: ROOT_PATH,
  event: said('Grüße, \u2028 "Ann"\n😀'),
};

function withoutNewline(line: Buffer): Buffer {
  return line.subarray(0, -1);
}

describe('a line', () => {
  test('is one JSON object with its sum as the last key', () => {
    const { line } = encodeLine(stored, BEFORE);
    expect(Object.keys(JSON.parse(line.toString()) as object)).toEqual([
      ...['v', 'seq', 'prev', 'at', 'scope', 'event', 'sum'],
    ]);
    expect(line.toString()).toMatch(/^\{"v":2,"seq":7,[^\n]*,"sum":"[0-9a-f]{8}"\}\n$/);
    expect(decodeLine(withoutNewline(line))).toEqual({ type: 'event', stored, version: 2, prev: BEFORE });
  });

  test('has a mac of the bytes before it in the place of the chain, where it is signed', () => {
    const signed: string[] = [];
    const mac = '0f'.repeat(16);
    const { line, chain } = encodeLine(stored, BEFORE, (body) => {
      signed.push(Buffer.from(body).toString());
      return mac;
    });
    expect(Object.keys(JSON.parse(line.toString()) as object)).toEqual([
      ...['v', 'seq', 'at', 'scope', 'event', 'mac', 'sum'],
    ]);
    const [body = ''] = signed;
    expect([chain, line.toString().startsWith(`${body},"mac":"${mac}","sum":"`)]).toEqual([mac, true]);
    const decoded = decodeLine(withoutNewline(line));
    const signedPart = { mac, length: Buffer.byteLength(body) };
    expect(decoded).toEqual({ type: 'event', stored, version: 2, signed: signedPart });
  });

  test('of format 1 has no mac, whatever stands in it', () => {
    const text = `{"v":1,"seq":7,"prev":"${BEFORE}","at":"${stored.at}","scope":"","event":{"type":"model-started","attempt":1},"mac":"${'0f'.repeat(16)}"`;
    expect(decodeLine(withoutNewline(sealLine(text)))).toMatchObject({ type: 'event', signed: undefined });
  });

  test('has the CRC-32 of the bytes before its sum, and the SHA-256 of the line before', () => {
    expect(sealLine('{"a":1').toString()).toBe('{"a":1,"sum":"a702fc6e"}\n');
    expect(chainOf(Buffer.from('abc'))).toBe('ba7816bf8f01cfea');
  });

  test('holds values of 64 levels, and one with more levels than were ever written is bad (G8)', () => {
    const nested = (levels: number, opens = '[', closes = ']'): Buffer => {
      const data = `${opens.repeat(levels)}0${closes.repeat(levels)}`;
      const message = `{"role":"user","content":[{"type":"data","data":${data}}]}`;
      const event = `{"type":"message-added","message":${message}}`;
      return withoutNewline(
        sealLine(`{"v":2,"seq":7,"prev":"${BEFORE}","at":"${stored.at}","scope":"","event":${event}`),
      );
    };
    expect(decodeLine(nested(64))).toMatchObject({ type: 'event' });
    expect([100, 100_000].map((levels) => decodeLine(nested(levels)))).toEqual([
      { type: 'bad' },
      { type: 'bad' },
    ]);
    expect(decodeLine(nested(32, '[{"a":', '}]'))).toMatchObject({ type: 'event' });
    expect(decodeLine(nested(50, '[{"a":', '}]'))).toEqual({ type: 'bad' });
  });

  test.for([
    '',
    '{}',
    'null',
    ',"sum":"00000000"}',
    '{"a":1,"sum":"a702fc6f"}',
    '{"a":1,"sum":"A702FC6E"}',
    '{"a":1,"sum":"a702fc6e"} ',
  ])('that is %j is none', (text) => {
    expect(unsealLine(Buffer.from(text))).toBeUndefined();
  });

  test.for([
    '{"v":1',
    '{"v":"1"',
    '{"v":1.5',
    '[1',
    '{"v":1,"seq":0,"prev":"","at":"","scope":"","event":{"type":"run-ended"}',
    '{"v":1,"seq":1,"prev":0,"at":"","scope":"","event":{"type":"run-ended"}',
    '{"v":1,"seq":1,"prev":"","at":"","scope":"","event":[]',
    '{"v":1,"seq":1,"prev":"","at":"","scope":"","event":{}',
    '{"v":0,"seq":1,"prev":"","at":"","scope":"","event":{"type":"run-ended"}',
  ])('that is sealed but holds %s is bad', (body) => {
    expect(decodeLine(withoutNewline(sealLine(body)))).toEqual({ type: 'bad' });
  });
});

describe('a session of a newer version', () => {
  interface Made {
    readonly store: FileStore;
    readonly id: SessionId;
    readonly journal: string;
  }

  /** A session with one more record, whose members are changed. */
  async function withRecord(change: object): Promise<Made> {
    const store = temporaryStore();
    const session = await store.create({ agent });
    await session.append([said('hello')]);
    await session[Symbol.asyncDispose]();
    const journal = path.join(store.root, session.id, 'journal.jsonl');
    const last = readFileSync(journal, 'utf8').split('\n').at(-2) ?? '';
    const record = { ...stored, seq: 4, prev: chainOf(Buffer.from(last)), ...change };
    appendFileSync(journal, sealLine(JSON.stringify(record).slice(0, -1)));
    return { store, id: session.id, journal };
  }

  test.for([
    ['of another format', { v: 3, event: { kind: 'something else' } }, 'format 3'],
    ['with an event that is not known', { event: { type: 'dream-started' } }, 'event `dream-started`'],
  ] as const)('%s is read up to there and not written (F30)', async ([, change, what]) => {
    const { store, id, journal } = await withRecord(change);
    const before = readFileSync(journal);
    await expect(store.open(id, 'write')).rejects.toMatchObject({
      code: 'SESSION_NEWER',
      message: `session ${id} was written by a newer version (${what}, line 4)`,
      detail: { line: 4, what, lastGood: 3 },
    });
    expect(readFileSync(journal).equals(before)).toBe(true);
    await using session = await store.open(id, 'read');
    expect(session.version).toBe(3);
    expect(session.notices).toEqual([
      `session ${id} was written by a newer version (${what}, line 4); only earlier events are shown`,
    ]);
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({
      status: 'newer',
      records: 3,
      where: { line: 4 },
    });
    await using copy = await store.open((await store.capabilities.doctor.salvage(id)).id, 'read');
    expect(copy.state.turns).toBe(1);
  });

  test('whose first record is newer cannot be read at all (F30)', async () => {
    const store = temporaryStore();
    const folder = path.join(store.root, 'future');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, 'journal.jsonl'), sealLine('{"v":9,"seq":1'), { mode: 0o600 });
    for (const mode of ['read', 'write'] as const) {
      await expect(store.open('future' as SessionId, mode)).rejects.toMatchObject({ code: 'SESSION_NEWER' });
    }
  });

  test('with an event that this version folds but that does not fit is damaged', async () => {
    const { store, id } = await withRecord({ event: { type: 'tool-settled', ref: 'nowhere', outcome: {} } });
    await expect(store.open(id, 'write')).rejects.toMatchObject({
      code: 'SESSION_DAMAGED',
      detail: { line: 4, kind: 'illegal-event', lastGood: 3 },
    });
  });
});

describe('a session of an older format', () => {
  /** A made-up format 0 that wrote the text of user messages only. */
  const steps: readonly FormatStep[] = [
    {
      from: 0,
      apply: ({ said: text, ...rest }) => ({
        ...rest,
        v: 1,
        scope: '',
        event:
          text === undefined
            ? { type: 'session-created', agent: { model: 'old', tools: [] } }
            : { type: 'message-added', message: { role: 'user', content: [{ type: 'text', text }] } },
      }),
    },
    ...FORMAT_STEPS,
  ];

  function oldSession(formatSteps?: readonly FormatStep[]): FileStore & { readonly root: string } {
    const store = temporaryStore(formatSteps === undefined ? {} : { formatSteps });
    const folder = path.join(store.root, 'old');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const at = '2020-01-01T00:00:00.000Z';
    const first = sealLine(JSON.stringify({ v: 0, seq: 1, prev: '0'.repeat(16), at }).slice(0, -1));
    const prev = chainOf(first.subarray(0, -1));
    const second = sealLine(JSON.stringify({ v: 0, seq: 2, prev, at, said: 'Hello from 2020' }).slice(0, -1));
    writeFileSync(path.join(folder, 'journal.jsonl'), Buffer.concat([first, second]), { mode: 0o600 });
    return store;
  }

  test('is brought up to date each time it is read, and gone on with in this one', async () => {
    const store = oldSession(steps);
    const journal = path.join(store.root, 'old', 'journal.jsonl');
    const before = readFileSync(journal);
    {
      await using session = await store.open('old' as SessionId, 'write');
      expect(session.state.turns).toBe(1);
      await session.append([said('Hello from today')]);
    }
    expect(readFileSync(journal).subarray(0, before.length).equals(before)).toBe(true);
    await using session = await store.open('old' as SessionId, 'read');
    const events: StoredEvent[] = [];
    for await (const event of session.events()) events.push(event);
    expect(events.map(({ v, seq, event }) => [v, seq, event.type])).toEqual([
      [2, 1, 'session-created'],
      [2, 2, 'message-added'],
      [2, 3, 'session-opened'],
      [2, 4, 'message-added'],
    ]);
  });

  test('without a step for it is damaged, and stays as it is', async () => {
    const store = oldSession();
    await expect(store.open('old' as SessionId, 'write')).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
  });
});
