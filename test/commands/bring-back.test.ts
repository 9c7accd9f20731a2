import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FilesPlan } from '../../commands/back/files.js';
import { bringBack, planFiles } from '../../commands/back/files.js';
import { planLines } from '../../commands/back/offer.js';
import type { Io } from '../../commands/host/index.js';
import type { SessionEvent } from '../../src/core/index.js';
import { sha256, toolRef } from '../../src/core/index.js';
import { eventsOf } from '../../src/repl/index.js';
import { modelSaid, requestPart, toolSettled, toolStarted, userSaid } from '../helpers/events.js';
import { agent } from '../sessions/sample-events.js';
import { temporaryFolder, temporaryStore } from '../sessions/temporary-store.js';

const by = { type: 'person', name: 'ann', via: 'terminal' } as const;

/** A session in a folder, in which a call has made `new` of `old` in `a.txt`. */
async function scene() {
  const cwd = temporaryFolder();
  const store = temporaryStore();
  const session = await store.create({ agent, cwd });
  const at = (name: string) => path.join(cwd, name);
  const change = async (name: string, old: string | undefined, text: string, ref: string): Promise<void> => {
    if (old !== undefined) await store.capabilities.files.keep(session.id, Buffer.from(old), sha256(old));
    await session.append([
      userSaid('go'),
      modelSaid([requestPart('write_file', ref)]),
      toolStarted('write_file', ref),
      {
        type: 'file-noted',
        ref: toolRef(ref),
        path: at(name),
        before:
          old === undefined
            ? { type: 'absent' }
            : { type: 'copied', sha256: sha256(old), bytes: old.length, mode: 0o755 },
        after: sha256(text),
      },
      toolSettled(ref, null),
    ]);
    writeFileSync(at(name), text);
  };
  await change('a.txt', 'old', 'new', 'r1');
  const io = { env: {}, home: '/nowhere', cwd: '/' } as unknown as Io;
  const place = { io, sessions: store.root, store, session };
  const plan = async (overwrite = false): Promise<FilesPlan> =>
    planFiles(place, await eventsOf(session), { since: 1, overwrite });
  const append = (event: SessionEvent): Promise<void> => session.append([event]);
  const back = (given: FilesPlan, more = append) => bringBack(place, given, { by, append: more });
  const notes = async () =>
    (await eventsOf(session)).filter(({ event }) => event.type === 'file-noted').length;
  return { at, session, store, change, plan, append, back, notes };
}

describe('files that are brought back', () => {
  test('are noted with who does it, before they change', async () => {
    const { at, session, plan, back } = await scene();
    expect(await back(await plan())).toEqual([{ path: at('a.txt'), what: 'restored' }]);
    expect((await eventsOf(session)).at(-1)?.event).toEqual({
      type: 'file-noted',
      path: at('a.txt'),
      before: { type: 'copied', sha256: sha256('new'), bytes: 3, mode: 0o644 },
      after: sha256('old'),
      by,
    });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('old');
  });

  test('are left where they change between the list and the doing', async () => {
    const { at, plan, back, notes } = await scene();
    for (const overwrite of [false, true]) {
      writeFileSync(at('a.txt'), 'new');
      const listed = await plan(overwrite);
      writeFileSync(at('a.txt'), 'others');
      const left = { path: at('a.txt'), what: 'left', left: { type: 'changed' } };
      expect(await back(listed)).toEqual([{ path: at('a.txt'), what: 'left', step: left }]);
    }
    expect([readFileSync(at('a.txt'), 'utf8'), await notes()]).toEqual(['others', 1]);
  });

  test('are all back where the process ends after any note, and it is done again', async () => {
    for (const nth of [1, 2]) {
      const { at, change, plan, append, back } = await scene();
      await change('b.txt', undefined, 'b', 'r2');
      let left = nth;
      const dies = async (event: SessionEvent): Promise<void> => {
        await append(event);
        if ((left -= 1) === 0) throw new Error('killed');
      };
      await expect(back(await plan(), dies)).rejects.toThrow('killed');
      expect((await back(await plan())).every(({ what }) => what !== 'left')).toBe(true);
      expect(readFileSync(at('a.txt'), 'utf8')).toBe('old');
      expect((await plan()).planned).toEqual([]);
    }
  });

  test('take the rights that they had where something removed them', async () => {
    const { at, session, store, plan, back } = await scene();
    rmSync(at('a.txt'));
    expect((await plan()).planned.map(({ step }) => step.what)).toEqual(['left']);
    await back(await plan(true));
    expect(statSync(at('a.txt')).mode & 0o777).toBe(0o755);
    expect(await store.capabilities.files.read(session.id, sha256('old'))).toBeDefined();
  });

  test('make the folders that went with them as they were, and change none that is there', async () => {
    const { at, session, store, plan, back } = await scene();
    const copy = { type: 'copied', sha256: sha256('k'), bytes: 1, mode: 0o640 } as const;
    await store.capabilities.files.keep(session.id, Buffer.from('k'), sha256('k'));
    const note = (path: string, folders?: readonly number[]): SessionEvent => ({
      type: 'file-noted',
      ref: toolRef('r2'),
      path: at(path),
      before: { ...copy, ...(folders !== undefined && { folders }) },
      after: null,
    });
    await session.append([
      modelSaid([requestPart('run_command', 'r2')]),
      toolStarted('run_command', 'r2'),
      note('there/gone/deep/k.txt', [0o700, 0o2770]),
      note('there/gone/l.txt', [0o2770]),
      note('there/unsaid/m.txt'),
      toolSettled('r2', null),
    ]);
    mkdirSync(at('there'), { mode: 0o755 });
    mkdirSync(at('beside'));
    await back(await plan());
    const rights = (name: string): string => (statSync(at(name)).mode & 0o7777).toString(8);
    expect(
      ['there', 'there/gone', 'there/gone/deep', 'there/gone/deep/k.txt', 'there/unsaid'].map(rights),
    ).toEqual(['755', '770', '700', '640', rights('beside')]);
    expect(readFileSync(at('there/gone/l.txt'), 'utf8')).toBe('k');
  });

  test('are listed in columns, however unlike their names', async () => {
    const { change, plan } = await scene();
    await change('a-file-with-a-long-name.txt', undefined, 'b', 'r2');
    expect(planLines(await plan())).toEqual([
      'If you restore files:',
      '  a-file-with-a-long-name.txt  removed (created since then)',
      '  a.txt                        restored to its earlier state',
    ]);
  });

  test('do not bring a secret among the copies: what is overwritten with one in it is not kept', async () => {
    const { at, session, store, plan, back } = await scene();
    const secret = `key: sk-ant-api03-${'a1B2'.repeat(12)}`;
    writeFileSync(at('a.txt'), secret);
    await back(await plan(true));
    expect((await eventsOf(session)).at(-1)?.event).toMatchObject({
      before: { type: 'unkept', why: 'secret' },
    });
    expect(await store.capabilities.files.read(session.id, sha256(secret))).toBeUndefined();
  });

  test('are brought back where what they were cannot be copied, and the note says that it was not', async () => {
    const { at, session, store, plan, back } = await scene();
    const listed = await plan();
    store.capabilities.files.keep = () => Promise.reject(new Error('no space left'));
    expect(await back(listed)).toEqual([{ path: at('a.txt'), what: 'restored' }]);
    expect((await eventsOf(session)).at(-1)?.event).toMatchObject({
      before: { type: 'unkept', why: 'failed' },
    });
  });

  test('that change between the note and the write are not written over, and the others are back', async () => {
    const { at, change, plan, append, back } = await scene();
    await change('b.txt', 'b', 'B', 'r2');
    const races = async (event: SessionEvent): Promise<void> => {
      await append(event);
      if (event.type === 'file-noted' && event.path === at('a.txt')) writeFileSync(at('a.txt'), 'others');
    };
    expect(await back(await plan(), races)).toEqual([
      {
        path: at('a.txt'),
        what: 'failed',
        why: 'a.txt changed in the meantime, so nothing was written',
      },
      { path: at('b.txt'), what: 'restored' },
    ]);
    expect(['a.txt', 'b.txt'].map((name) => readFileSync(at(name), 'utf8'))).toEqual(['others', 'b']);
  });

  test('outside of the session’s folder stay, and effects of their calls are not undone', async () => {
    const { at, change, plan, back } = await scene();
    const outside = path.join(temporaryFolder(), 'b.txt');
    await change(path.relative(at(''), outside), 'old', 'new', 'r2');
    const listed = await plan();
    const effects = ['r1', 'r2'].map((ref) => ({ ref })) as never;
    expect(listed.remaining(effects)).toEqual([{ ref: 'r2' }]);
    expect((await back(listed)).map(({ what }) => what).sort()).toEqual(['left', 'restored']);
    expect(readFileSync(outside, 'utf8')).toBe('new');
  });
});
