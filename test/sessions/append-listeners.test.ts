import { expect, test } from 'vitest';

import { Recorder } from '../../src/repl/record.js';
import { ended, userSaid } from '../helpers/events.js';
import { temporaryStore } from '../sessions/temporary-store.js';

test('a writer tells of all that it appends, in order and once, also of what it did not ask for', async () => {
  const store = temporaryStore();
  const first = await store.create({ agent: { model: 'script', tools: [] } });
  await first.append([userSaid('hello'), ended()]);
  await first[Symbol.asyncDispose]();
  await using session = await store.open(first.id, 'write');
  const rested = session.version;
  const log: string[] = [];
  session.onAppended((events) => {
    log.push(...events.map(({ seq, event }) => `${seq} ${event.type}`));
  });
  session.beginWith([{ type: 'agent-changed', agent: { model: 'demo', tools: [] } }]);
  const nothing = () => undefined;
  const recorder = new Recorder(session, {
    event: nothing,
    transient: nothing,
    notice: nothing,
    pause: nothing,
    stopped: nothing,
  });
  await recorder.keep([userSaid('again')], { lazily: true });
  await recorder.keep([{ type: 'model-started', attempt: 1 }]);
  expect(log).toEqual(
    ['session-opened', 'agent-changed', 'message-added', 'model-started'].map(
      (type, index) => `${rested + 1 + index} ${type}`,
    ),
  );
});
