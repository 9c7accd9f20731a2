import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { sha256 } from '../../src/core/index.js';
import { agent } from './sample-events.js';
import { temporaryStore } from './temporary-store.js';

async function scene() {
  const store = temporaryStore();
  const session = await store.create({ agent });
  const { id } = session;
  await session[Symbol.asyncDispose]();
  const { files } = store.capabilities;
  const keep = (text: string) => files.keep(id, Buffer.from(text), sha256(text));
  const read = async (text: string) => {
    const bytes = await files.read(id, sha256(text));
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  };
  const place = (text: string) => path.join(store.root, id, `file-${sha256(text)}.copy`);
  return { store, id, files, keep, read, place };
}

test('a copy is kept once, for its owner alone, and goes with the session', async () => {
  const { store, id, keep, read, place } = await scene();
  expect([await keep('a\0ü'), await keep('a\0ü'), await keep('')]).toEqual([true, true, true]);
  expect([await read('a\0ü'), await read(''), await read('b')]).toEqual(['a\0ü', '', undefined]);
  expect(statSync(place('a\0ü')).mode & 0o777).toBe(0o600);
  const copies = readdirSync(path.join(store.root, id)).filter((name) => name.endsWith('.copy'));
  expect(copies).toHaveLength(2);
  const { entries } = await store.capabilities.doctor.examine(id);
  expect(entries.filter(({ role }) => role === 'other')).toEqual([]);
  await store.remove(id);
  expect(readdirSync(store.root).filter((name) => name === id)).toEqual([]);
});

test('a copy with other content than its name says is none, and is written anew', async () => {
  const { keep, read, place } = await scene();
  await keep('a');
  writeFileSync(place('a'), 'forged');
  expect(await read('a')).toBeUndefined();
  expect(await keep('a')).toBe(true);
  expect([await read('a'), readFileSync(place('a'), 'utf8')]).toEqual(['a', 'a']);
});

test('a link or a folder in the place of a copy is not read, and a digest is no path', async () => {
  const { store, id, files, keep, read, place } = await scene();
  await keep('a');
  const outside = path.join(store.root, 'outside');
  writeFileSync(outside, 'a');
  rmSync(place('a'));
  symlinkSync(outside, place('a'));
  expect(await read('a')).toBeUndefined();
  rmSync(place('a'));
  mkdirSync(place('a'));
  expect(await read('a')).toBeUndefined();
  expect(await files.read(id, '../journal')).toBeUndefined();
});

test('the copies of a session have a limit', async () => {
  const { files, id } = await scene();
  const large = (letter: string) => Buffer.alloc(40 * 1024 * 1024, letter);
  const kept: boolean[] = [];
  for (const bytes of ['a', 'b', 'a', 'c'].map(large)) kept.push(await files.keep(id, bytes, sha256(bytes)));
  expect(kept).toEqual([true, true, true, false]);
});
