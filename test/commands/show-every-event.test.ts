import { expect, test } from 'vitest';

import { showEveryEvent } from '../../commands/running/show-every-event.js';
import type { Renderer } from '../../src/core/index.js';
import { Recorder } from '../../src/repl/record.js';
import { ended, userSaid } from '../helpers/events.js';
import { temporaryStore } from '../sessions/temporary-store.js';

function noting(log: string[]): Renderer {
  return {
    event: ({ type }, seq) => {
      log.push(`${seq} ${type}`);
    },
    transient: () => undefined,
    notice: () => undefined,
    pause: () => undefined,
    stopped: () => undefined,
  };
}

test('an event that shares its flush with the next one is shown once, behind what was written unasked', async () => {
  const store = temporaryStore();
  const first = await store.create({ agent: { model: 'script', tools: [] } });
  await first.append([userSaid('hello'), ended()]);
  await first[Symbol.asyncDispose]();
  await using session = await store.open(first.id, 'write');
  const rested = session.version;
  const log: string[] = [];
  const recorder = new Recorder(showEveryEvent(session, noting(log)), noting(log));
  await recorder.keep([userSaid('again')], { lazily: true });
  await recorder.keep([{ type: 'model-started', attempt: 1 }]);
  expect(log).toEqual(
    ['session-opened', 'message-added', 'model-started'].map(
      (type, index) => `${rested + 1 + index} ${type}`,
    ),
  );
});
