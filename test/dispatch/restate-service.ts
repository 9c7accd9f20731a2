// A worker that Restate calls: `tsx restate-service.ts <folder> <ingress> <admin> <port>`. It keeps nothing.
import { createRestateDispatcher } from '../../src/restate/index.js';
import { isHitlError, openChat, openStore } from '../../src/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { sdk } from '../../tools/restate/sdk.mjs';
import { payingAgent, storeFolder } from './paying-agent.js';

const [folder = '', ingress = '', admin = '', port = '0'] = process.argv.slice(2);
const store = openStore(storeFolder(folder));
const dispatcher = createRestateDispatcher({
  sdk,
  clock: systemClock,
  ingress,
  admin,
  port: Number(port),
});
const stop = new AbortController();
process.once('SIGTERM', () => {
  stop.abort();
});

await dispatcher.work(async (id) => {
  const chat = await openChat(id, { store, ...payingAgent(folder, id) });
  try {
    await chat.resume();
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    process.stderr.write(`${id} ${thrown.code} ${thrown.message}\n`);
    throw thrown;
  } finally {
    await chat.close();
  }
}, stop.signal);
