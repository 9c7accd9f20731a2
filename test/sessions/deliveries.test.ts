import { expect, test } from 'vitest';

import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import type { DeliveryNote, WaitingItem } from '../../src/core/index.js';
import { noteAfter, takenToRaise } from '../../src/core/index.js';
import { temporaryFolder, temporaryStore } from './temporary-store.js';

const NOW = Date.UTC(2026, 0, 2);

function noteOf(id: string): DeliveryNote {
  const interrupt = { id, digest: 'd1', kind: 'question', payload: 'Which?' };
  const item = { session: 's1', title: 'One', interrupt } as unknown as WaitingItem;
  return takenToRaise(item, 'ops', { was: undefined, now: NOW });
}

test('a look at what was sent reads the notes that were replaced since the look before, and no others', async () => {
  const root = temporaryFolder();
  const real = nodeFileSystem();
  let opened = 0;
  const open: typeof real.open = (...given) => {
    opened += 1;
    return real.open(...given);
  };
  const book = temporaryStore({ root, fs: { ...real, open } }).capabilities.deliveries;
  const other = temporaryStore({ root }).capabilities.deliveries;
  const look = async (): Promise<readonly [number, readonly string[]]> => {
    opened = 0;
    const found: string[] = [];
    for await (const { interrupt, state, revision } of book.list())
      found.push(`${interrupt} ${state} ${revision}`);
    return [opened, found.sort()];
  };
  const [first, second] = [noteOf('i1'), noteOf('i2')];
  for (const note of [first, second]) await other.put(note);
  expect(await look()).toEqual([2, ['i1 sending 1', 'i2 sending 1']]);
  expect(await look()).toEqual([0, ['i1 sending 1', 'i2 sending 1']]);
  const sent = noteAfter(first, { type: 'sent' }, { now: NOW, chance: 0 });
  await other.put(sent);
  expect(await look()).toEqual([1, ['i1 sent 2', 'i2 sending 1']]);
  await other.drop(sent);
  expect(await look()).toEqual([0, ['i2 sending 1']]);
});
