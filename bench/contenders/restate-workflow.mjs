import { once } from 'node:events';
import { createServer } from 'node:http2';

import { sdk } from '../../tools/restate/sdk.mjs';
import { startRestate } from '../../tools/restate/server.mjs';
import { timedSteps } from './steps.mjs';

/** Restate lets go of a call that waits for so long; the next attempt is a replay. No step takes that long. */
const WAITING_MS = 500;

/** @param params `{ steps }` */
export async function measure({ steps }) {
  const server = await startRestate({ parent: process.env.BENCH_TMP });
  const asked = new Map();
  const worker = createServer(sdk.createEndpointHandler({ services: [service(asked)], logger: () => {} }));
  try {
    worker.listen(0, '127.0.0.1');
    await once(worker, 'listening');
    await post(`${server.admin}/deployments`, { uri: `http://127.0.0.1:${worker.address().port}` });
    return await timedSteps(steps, async (count) => opened(server, asked, count));
  } finally {
    worker.close();
    await server.stop();
  }
}

/** A handler of steps that each do next to nothing, and a promise behind them that somebody else keeps. */
function service(asked) {
  const run = async (ctx, count) => {
    for (let n = 0; n < count; n += 1) await ctx.run('add', () => n + 1);
    const { id, promise } = ctx.awakeable();
    asked.get(count)(id, ctx.request().attemptCompletedSignal);
    return promise;
  };
  return sdk.service({ name: 'steps', handlers: { run }, options: { inactivityTimeout: WAITING_MS } });
}

function opened({ ingress }, asked, count) {
  const question = new Promise((resolve) => {
    asked.set(count, (id, attempt) => resolve({ id, attempt }));
  });
  let ended;
  return {
    run: async () => {
      ended = post(`${ingress}/steps/run`, count);
      await Promise.race([question, ended]);
    },
    rest: async () => {
      const { attempt } = await question;
      if (!attempt.aborted) await once(attempt, 'abort');
    },
    goOn: async () => {
      const { id } = await question;
      await post(`${ingress}/restate/awakeables/${id}/resolve`, true);
      if ((await ended) !== true) throw new Error('not done');
    },
  };
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
