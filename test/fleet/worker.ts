// A worker of the fleet, until it is killed: `worker.mjs <url> <file of effects> <ms that its clock is ahead> [lacks]`.
// One that `lacks` a tool has no other than those that most sessions call.
import { runWorker } from '../../sessions/index.js';
import type { SessionStore } from '../../src/index.js';
import { openChat, openFlow } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { clockAhead, payInSteps, payTools, storeAt, TOOL_OF } from './parts.js';

process.on('disconnect', () => process.exit(0)); // whoever counts is gone
const [url = '', file = '', ahead = '0', lacks] = process.argv.slice(2);
const store = storeAt(url, Number(ahead));
const tools = payTools(file).filter(({ name }) => lacks === undefined || name !== TOOL_OF.seldom);
const flow = payInSteps(file);
const names = new Set(tools.map(({ name }) => name));
process.send?.('ready');

await runWorker({
  store,
  clock: clockAhead(Number(ahead)),
  signal: new AbortController().signal,
  slots: 4,
  handle: async (session) => {
    if (session.state.agent?.tools.some(({ name }) => !names.has(name)) === true) return 'unknown';
    const claimed: SessionStore = new Proxy(store, {
      get: (target, key): unknown =>
        key === 'open' ? () => Promise.resolve(session) : Reflect.get(target, key),
    });
    if (session.state.graph !== undefined) {
      const run = await openFlow(session.id, flow, { store: claimed });
      await run.resume();
      await run.close();
      return 'rests';
    }
    const chat = await openChat(session.id, {
      store: claimed,
      model: scriptedModel(['It asks first.', 'Paid.']),
      tools: tools.filter(({ name }) => session.state.agent?.tools.some((known) => known.name === name)),
    });
    await chat.resume();
    await chat.close();
    return 'rests';
  },
});
