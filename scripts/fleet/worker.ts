// A worker of the fleet: `worker.mjs <url> <file of effects>`, until it is killed.
import { runWorker } from '../../sessions/index.js';
import type { SessionStore } from '../../src/index.js';
import { openChat, systemClock } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { payTool, storeAt } from './parts.js';

process.on('disconnect', () => process.exit(0)); // whoever counts is gone
const [url = '', file = ''] = process.argv.slice(2);
const store = storeAt(url);
const tools = [payTool(file)];
process.send?.('ready');

await runWorker({
  store,
  clock: systemClock,
  signal: new AbortController().signal,
  slots: 4,
  handle: async (session) => {
    const claimed: SessionStore = new Proxy(store, {
      get: (target, key): unknown =>
        key === 'open' ? () => Promise.resolve(session) : Reflect.get(target, key),
    });
    const chat = await openChat(session.id, {
      store: claimed,
      model: scriptedModel(['It asks first.', 'Paid.']),
      tools,
    });
    await chat.resume();
    await chat.close();
    return 'rests';
  },
});
