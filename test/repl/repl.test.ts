import { expect, test } from 'vitest';

import type { Turn } from '../../src/core/index.js';
import { openChat } from '../../src/index.js';
import { repl } from '../../src/repl/index.js';
import { scriptedChannel, scriptedModel } from '../../src/testing/index.js';
import { scene } from '../engine/drive.js';
import { faultyFileSystem } from '../sessions/faulty-file-system.js';
import { temporaryStore } from '../sessions/temporary-store.js';

test('a message of a person shares its flush with the request that it starts, and is shown behind it', async () => {
  const fs = faultyFileSystem();
  const store = temporaryStore({ fs, lockHelpers: [() => 'locked'] });
  await using session = await store.create({ agent: { model: 'script', tools: [] } });
  const said = ['one', 'two'];
  const log: (string | number)[] = [];
  const before = fs.flushes.length;
  const journal = (): number => fs.flushes.slice(before).filter((name) => name === 'journal.jsonl').length;
  const end = await repl(
    {
      session,
      run: scene({ replies: ['first', 'second'] }),
      channel: scriptedChannel([]),
      renderer: {
        event: ({ type }) => void log.push(type, journal()),
        transient: () => undefined,
        notice: () => undefined,
        pause: () => undefined,
        stopped: () => undefined,
      },
      turns: {
        next: async (): Promise<Turn> => {
          const text = said.shift();
          return text === undefined ? { type: 'end', why: 'none left' } : { type: 'message', text };
        },
      },
      beginWork: () => new AbortController().signal,
      command: async () => 'handled',
    },
    new AbortController().signal,
  );
  expect(end.why).toBe('turns-ended');
  const turn = (flushes: number): readonly (string | number)[] => [
    ...['message-added', flushes, 'model-started', flushes],
    ...['message-added', flushes + 1, 'run-ended', flushes + 1],
  ];
  expect(log).toEqual([...turn(1), ...turn(3)]);
});

test('what is said to a chat of a program shares its flush with the request that it starts', async () => {
  const fs = faultyFileSystem();
  const store = temporaryStore({ fs, lockHelpers: [() => 'locked'] });
  await using chat = await openChat({ model: scriptedModel(['first', 'second']), store });
  await chat.say('one');
  const before = fs.flushes.length;
  expect(await chat.say('two')).toEqual({ type: 'done', text: 'second' });
  expect(fs.flushes.slice(before).filter((name) => name === 'journal.jsonl')).toHaveLength(2);
});
