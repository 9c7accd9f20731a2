import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { runWorker } from '../../sessions/index.js';
import type { PostgresStore } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgDriver } from '../../sessions/postgres/index.js';
import type { Clock, Interrupt, SessionEvent, SessionId } from '../../src/core/index.js';
import { interruptId, isoTime, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { agent, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, withServer } from './databases.js';
import { Person } from './person.js';

const MINUTE = 60_000;

function ahead(ms: number): Clock {
  return { now: () => Date.now() + ms, sleep: (for_, signal) => systemClock.sleep(for_, signal) };
}

/** A question that is over at a moment of the right clock. */
function askedUntil(ms: number): { readonly question: Interrupt; readonly events: readonly SessionEvent[] } {
  const input = { amount: 200 };
  const source = { type: 'tool', ref: toolRef('a'), name: 'transferMoney', input, raisedBy: 'tool' } as const;
  const question = makeInterrupt(
    { kind: 'confirmation', source, payload: { reason: 'x' }, expiresAt: isoTime(Date.now() + ms) },
    { id: interruptId('i1'), path: ROOT_PATH, raisedAt: isoTime(Date.now() - MINUTE) },
  );
  return {
    question,
    events: [...transferTurn().slice(0, 4), { type: 'interrupt-raised', interrupt: question }],
  };
}

describe.skipIf(!hasDatabases)(
  'R3: machines whose clocks are wrong (`npm run tools` installs the database)',
  () => {
    let database: TestServer;

    withServer((started) => {
      database = started;
    });

    async function storeAt(space: string, clock: Clock, told: number[] = []): Promise<PostgresStore> {
      const { pg } = await import('../../tools/servers/server.mjs');
      const store = createPostgresStore({
        connection: pgDriver(pg, database.url),
        ...{ clock, space, random: randomBytes },
        skewed: (ms) => {
          told.push(Math.round(ms / MINUTE));
        },
      });
      onTestFinished(() => store.close());
      return store;
    }

    async function asked(store: PostgresStore, ms: number): Promise<{ id: SessionId; question: Interrupt }> {
      const { question, events } = askedUntil(ms);
      await using session = await store.create({ agent, events });
      return { id: session.id, question };
    }

    test.for([10, -10])(
      'a yes in time is a yes, from a machine that is %i minutes ahead',
      async (minutes) => {
        const told: number[] = [];
        const [right, wrong] = [
          await storeAt('yes', systemClock),
          await storeAt('yes', ahead(minutes * MINUTE), told),
        ];
        const { id, question } = await asked(right, 5 * MINUTE);
        const by = { type: 'person', name: 'ann', via: 'library' } as const;
        const answer = {
          id: question.id,
          digest: question.digest,
          resolution: { action: 'restart' },
          by,
        } as const;
        expect(await wrong.post(id, answer)).toMatchObject({ type: 'recorded' });
        const [resolved] = (await right.open(id, 'read')).state.resolved.toArray();
        expect(Math.abs(Date.parse(resolved?.resolvedAt ?? '') - Date.now())).toBeLessThan(MINUTE);
        expect(told).toEqual([minutes]);
      },
    );

    test('a worker that is ten minutes behind decides what is over, each once, and starves nothing', async () => {
      const [right, wrong] = [await storeAt('over', systemClock), await storeAt('over', ahead(-10 * MINUTE))];
      const ids = [(await asked(right, 0)).id, (await asked(right, 0)).id];
      const stop = new AbortController();
      const done: SessionId[] = [];
      const working = runWorker({
        ...{ store: wrong, clock: ahead(-10 * MINUTE), signal: stop.signal },
        handle: async (session) => {
          await session.append([{ type: 'run-ended', reason: { type: 'aborted' } }]);
          return 'rests';
        },
        told: ({ session }) => {
          done.push(session);
        },
      });
      while (done.length < 2) await systemClock.sleep(50, AbortSignal.timeout(30_000));
      await systemClock.sleep(1_500, new AbortController().signal);
      stop.abort();
      await working;
      expect(done.toSorted()).toEqual(ids.toSorted());
      for (const id of ids) {
        const { state } = await right.open(id, 'read');
        expect(state.resolved.toArray().map(({ by }) => by.type)).toEqual(['clock']);
      }
    });

    test('a question has its whole time, whatever the machine that asks it believes, and the program says so', async () => {
      using home = new Person(database.url);
      const late = join(home.path, 'late.mjs');
      writeFileSync(late, `const now = Date.now; Date.now = () => now() - ${10 * MINUTE};`);
      const tools = join(home.path, 'tools.mjs');
      writeFileSync(
        tools,
        `import { defineTool } from 'hitl';
const about = { name: 'pay', description: 'Pays.', needsApproval: true, deadline: { timeout: '5m' } };
export default [defineTool(about, () => 'paid')];
`,
      );
      const script = join(home.path, 'model.jsonl');
      writeFileSync(script, `${JSON.stringify({ tools: [{ name: 'pay', input: {} }] })}\n{"text":"Paid."}\n`);
      const wrong = {
        NODE_OPTIONS: `${home.env['NODE_OPTIONS'] ?? ''} --import ${pathToFileURL(late).href}`,
      };
      const chat = ['chat', '-p', 'pay', '--model', `script:${script}`, '--tools', tools, '--trust'];
      const ran = await home.run(chat, { env: wrong });
      expect(ran).toMatchObject({ status: 3 });
      expect(ran.stderr).toContain(
        'this machine’s clock is 10 min behind the database clock; hitl uses the database clock',
      );
      const [item] = await home.waiting();
      expect(await home.run(['answer', item?.session ?? '', 'y', '--any'])).toMatchObject({ status: 0 });
    });
  },
);
