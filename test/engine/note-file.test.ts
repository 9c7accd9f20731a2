import { describe, expect, test } from 'vitest';

import type { JsonValue, NotedFile, SessionEvent, Tool } from '../../src/core/index.js';
import { fold, interruptId, SecretVault, sha256 } from '../../src/core/index.js';
import { guardOutput } from '../../src/tools/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { calls, drive, names, scene, tool } from './drive.js';

const bytes = (text: string): NotedFile['before'] => ({ bytes: Buffer.from(text), mode: 0o640 });
const copied = (text: string): JsonValue => ({
  type: 'copied',
  sha256: sha256(text),
  bytes: Buffer.byteLength(text),
  mode: 0o640,
});
const unkept = (why: string): JsonValue => ({ type: 'unkept', why });

interface Noted {
  readonly order: readonly string[];
  readonly notes: readonly SessionEvent[];
  readonly events: readonly SessionEvent[];
}

/** Runs a body that notes this file, and then writes; tells what happened in which order. */
async function noted(
  file: Omit<NotedFile, 'path'>,
  more: { keeps?: () => Promise<boolean>; vault?: SecretVault; around?: (tool: Tool) => Tool } = {},
): Promise<Noted> {
  const { keeps = () => Promise.resolve(true), vault, around = (one) => one } = more;
  const order: string[] = [];
  const writes = tool('write', async (_input, { noteFile }) => {
    await noteFile?.({ path: '/w/a', ...file });
    order.push('written');
    return null;
  });
  const keepCopy = (): Promise<boolean> => {
    order.push('kept');
    return keeps();
  };
  const options = scene({
    replies: [calls(['write']), 'done'],
    tools: [around(writes)],
    keepCopy,
    ...(vault && { vault }),
  });
  const { events } = await drive(stateAfter(userSaid('hi')), options, {
    kept: ({ type }) => {
      if (type === 'file-noted') order.push('noted');
    },
  });
  return { order, events, notes: events.filter(({ type }) => type === 'file-noted') };
}

describe('a file that a body is about to change', () => {
  test('is copied, then in the journal, and then written', async () => {
    const { order, events, notes } = await noted({ before: bytes('old'), after: 'new' });
    expect(order).toEqual(['kept', 'noted', 'written']);
    expect(notes).toEqual([
      { type: 'file-noted', ref: 'r1', path: '/w/a', before: copied('old'), after: sha256('new') },
    ]);
    const at = names(events).indexOf('started r1#1');
    expect(names(events).slice(at, at + 3)).toEqual(['started r1#1', 'file-noted', 'settled r1 output']);
  });

  test.for([
    ['that is new', 'absent', { type: 'absent' }],
    ['that is too large', 'large', unkept('large')],
  ] as const)('%s is not copied', async ([, before, said]) => {
    const { order, notes } = await noted({ before, after: 'new' });
    expect([order, notes]).toEqual([
      ['noted', 'written'],
      [{ type: 'file-noted', ref: 'r1', path: '/w/a', before: said, after: sha256('new') }],
    ]);
  });

  test.for([
    ['has no room', () => Promise.resolve(false), 'full'],
    ['cannot be written', () => Promise.reject(new Error('disk full')), 'failed'],
  ] as const)(
    'is changed all the same where its copy %s, and the journal says so',
    async ([, keeps, why]) => {
      const { order, notes } = await noted({ before: bytes('old'), after: 'new' }, { keeps });
      expect(order).toEqual(['kept', 'noted', 'written']);
      expect(notes).toMatchObject([{ before: unkept(why) }]);
    },
  );

  test('with a secret that was typed has no copy, and its content no digest', async () => {
    const vault = new SecretVault();
    vault.keep(interruptId('i1'), '/output', 's3cr3t-t0ken');
    const secret = 'token: s3cr3t-t0ken';
    const first = await noted({ before: bytes('old'), after: secret }, { vault });
    expect(first.notes).toEqual([{ type: 'file-noted', ref: 'r1', path: '/w/a', before: copied('old') }]);
    const then = await noted({ before: bytes(secret), after: 'new' }, { vault });
    expect(then.order).toEqual(['noted', 'written']);
    expect(then.notes).toMatchObject([{ before: unkept('secret'), after: sha256('new') }]);
  });

  test('with a key of the environment, or what looks like one, has no copy either', async () => {
    const guarded = (one: Tool): Tool =>
      guardOutput(one, { secrets: ['from-the-environment'], keep: () => Promise.resolve(undefined) });
    const key = `sk-ant-api03-${'a1B2'.repeat(12)}`;
    for (const secret of ['x = from-the-environment', `key: ${key}`]) {
      const first = await noted({ before: bytes('old'), after: secret }, { around: guarded });
      expect(first.notes).toEqual([{ type: 'file-noted', ref: 'r1', path: '/w/a', before: copied('old') }]);
      const then = await noted({ before: bytes(secret), after: 'new' }, { around: guarded });
      expect(then.notes).toMatchObject([{ before: unkept('secret') }]);
    }
  });

  test('is not written where the note of it cannot be kept', async () => {
    const written: string[] = [];
    const writes = tool('write', async (_input, { noteFile }) => {
      await noteFile?.({ path: '/w/a', before: 'absent', after: 'new' });
      written.push('written');
      return null;
    });
    const options = scene({
      replies: [calls(['write'])],
      tools: [writes],
      keepCopy: () => Promise.resolve(true),
    });
    const full = drive(stateAfter(userSaid('hi')), options, {
      kept: ({ type }) => {
        if (type === 'file-noted') throw new Error('disk full');
      },
    });
    await expect(full).rejects.toThrow('disk full');
    expect(written).toEqual([]);
  });

  test('is nothing that a body can note where nothing is kept', async () => {
    const seen: boolean[] = [];
    const looks = tool('look', (_input, { noteFile }) => {
      seen.push(noteFile === undefined);
      return null;
    });
    await drive(stateAfter(userSaid('hi')), scene({ replies: [calls(['look']), 'done'], tools: [looks] }));
    expect(seen).toEqual([true]);
  });

  test('belongs to a call that runs, or to a person who brings it back', () => {
    const note = { type: 'file-noted', ref: 'r9', path: '/w/a', before: { type: 'absent' } } as const;
    expect(() => fold([userSaid('hi'), note as unknown as SessionEvent])).toThrow('no open call `r9`');
    const back = { type: 'file-noted', path: '/w/a', before: { type: 'absent' }, after: null } as const;
    const filesBack = [{ path: '/w/a', isRemoved: true }];
    expect(fold([userSaid('hi'), back])).toEqual({ ...fold([userSaid('hi')]), filesBack });
  });
});
