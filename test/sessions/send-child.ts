// A process that sends messages to a session, for tests of the queue.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { createFileStore } from '../../sessions/index.js';
import { isSessionId } from '../../src/core/index.js';

const [, , root = '', id = '', name = '', count = '0'] = process.argv;
const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }),
};
if (!isSessionId(id)) throw new Error(`no id: ${id}`);
const queue = createFileStore({ root, clock, random: randomBytes }).mail(id);
const signal = new AbortController().signal;
const sent = { fresh: 0, known: 0 };
for (let number = 0; number < Number(count); number += 1) {
  const from = { type: 'person', name: 'all', via: 'library' } as const;
  for (const message of [`own-${name}-${number}`, `shared-${number}`]) {
    const { isNew } = await queue.send({ id: message, text: message, from }, { maxQueue: 1000 }, signal);
    sent[isNew ? 'fresh' : 'known'] += 1;
  }
}
process.stdout.write(`${JSON.stringify(sent)}\n`);
