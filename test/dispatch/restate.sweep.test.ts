// Restate's own server calls workers that die, and dies itself; the journals are the only truth.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import { newSessionId } from '../../sessions/index.js';
import type { Answer, Interrupt, SessionId } from '../../src/index.js';
import { openChat, openStore } from '../../src/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { createRestateDispatcher } from '../../src/restate/index.js';
import type { RestateSdk } from '../../src/restate/index.js';
import { dispatcherCases } from '../../src/testing/index.js';
import type { RestateServer } from '../../tools/restate/server.mjs';
import { payingAgent, payments, storeFolder } from './paying-agent.js';

const SESSIONS = 200;
/** Deaths of the worker; each fourth one takes the server with it. */
const KILLS = 12;

const isThere = isInstalled('restate');
if (!isThere) process.stdout.write('skipped: tools/restate is not installed (npm run tools)\n');

describe.skipIf(!isThere)('Restate with its own server', () => {
  let server: RestateServer;
  let sdk: RestateSdk;
  let freePort: () => Promise<number>;

  beforeAll(async () => {
    const tools = await import('../../tools/restate/server.mjs');
    ({ sdk } = await import('../../tools/restate/sdk.mjs'));
    ({ freePort } = tools);
    server = await tools.startRestate();
  });
  afterAll(async () => {
    await server.stop();
  });

  test.for(dispatcherCases.map((one) => [one.title, one] as const))('%s', async ([, { run }]) => {
    const { admin, ingress } = server;
    // A service of its own for each case: what a case leaves behind is nobody's work.
    const name = `hitl${randomBytes(4).toString('hex')}`;
    const port = await freePort();
    const dispatcher = createRestateDispatcher({ sdk, clock: systemClock, admin, ingress, name, port });
    const stop = new AbortController();
    const registered = dispatcher.work(() => Promise.resolve(), stop.signal);
    await sleep(300); // a service is known once a worker was there
    stop.abort();
    await registered;
    await run({ dispatcher, session: () => Promise.resolve(newSessionId(Date.now(), randomBytes)) });
  });

  test(`${SESSIONS} sessions end, and nothing is paid twice untold, while worker and server are killed`, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hitl-restate-sessions-'));
    const store = openStore(storeFolder(folder));
    const { admin, ingress } = server;
    const port = await freePort();
    const dispatcher = createRestateDispatcher({ sdk, clock: systemClock, admin, ingress });
    let worker = startWorker(folder, server, port);
    try {
      const ids: SessionId[] = [];
      for (let n = 0; n < SESSIONS; n += 1) {
        const id = newSessionId(Date.now(), randomBytes);
        const chat = await openChat({ id, store, ...payingAgent(folder, id) });
        await chat.say('pay');
        await chat.close();
        ids.push(id);
      }
      await sleep(1_000); // the worker has registered
      const waking = (async () => {
        for (const id of ids) {
          for await (const item of store.waiting()) {
            if (item.session !== id) continue;
            await store.post(id, approval(item.interrupt));
            break;
          }
          await kept(() => dispatcher.wake(id));
          await sleep(20);
        }
      })();
      let deaths = 0;
      let crashes = 0;
      while (deaths < KILLS) {
        await paidMore(folder, 4);
        await sleep(Math.random() * 60);
        await killed(worker);
        deaths += 1;
        if (deaths % 4 === 0) {
          await server.crash();
          crashes += 1;
        }
        worker = startWorker(folder, server, port);
      }
      await waking;
      const ends = await allEnded(store, ids);
      const paid = payments(folder);
      const count = (status: string) => [...ends.values()].filter((one) => one === status).length;
      process.stdout.write(
        `restate: ${SESSIONS} sessions, ${deaths} deaths of the worker, ${crashes} of the server, ${paid.size} paid, ${count('done')} ended, ${count('in-doubt')} doubts told\n`,
      );
      expect(ids.filter((id) => (paid.get(id) ?? 0) > 1)).toEqual([]);
      expect(ids.filter((id) => ends.get(id) === 'done' && paid.get(id) !== 1)).toEqual([]);
      expect(count('done') + count('in-doubt')).toBe(SESSIONS);
    } finally {
      await killed(worker);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function approval({ id, digest }: Interrupt): Answer {
  return {
    id,
    digest,
    resolution: { action: 'restart' },
    by: { type: 'person', name: 'ann', via: 'library' },
  };
}

function startWorker(folder: string, { ingress, admin }: RestateServer, port: number): ChildProcess {
  const program = path.join(import.meta.dirname, 'restate-service.ts');
  return spawn(process.execPath, ['--import', 'tsx', program, folder, ingress, admin, String(port)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Waits until some more were paid: the worker is in the middle of it then. */
async function paidMore(folder: string, more: number): Promise<void> {
  const before = payments(folder).size;
  for (let tries = 0; tries < 500 && payments(folder).size < before + more; tries += 1) await sleep(10);
}

/** A wake that a dead server did not take is given again: whoever asks hears that it was not kept. */
async function kept(wake: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await wake();
      return;
    } catch {
      await sleep(200);
    }
  }
}

/** What became of each session, once nothing is to be done in any of them. */
async function allEnded(
  store: ReturnType<typeof openStore>,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, string>> {
  const ends = new Map<SessionId, string>();
  for (let tries = 0; tries < 600; tries += 1) {
    for (const id of ids) {
      if (ends.has(id)) continue;
      await using session = await store.open(id, 'read');
      const { ended } = session.state;
      if (ended?.type === 'done') ends.set(id, 'done');
    }
    for await (const { session, interrupt } of store.waiting())
      if (interrupt.kind === 'in-doubt') ends.set(session, 'in-doubt');
    if (ends.size === ids.length) return ends;
    await sleep(200);
  }
  return ends;
}
