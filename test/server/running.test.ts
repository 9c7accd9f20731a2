import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import type { SessionStore, SessionSummary } from '../../src/core/index.js';
import { checkSessionId, HitlError } from '../../src/core/index.js';
import type { Model } from '../../src/index.js';
import { defineTool, openStore } from '../../src/index.js';
import { fakeClock, scriptedModel } from '../../src/testing/index.js';
import { asking, openServer } from './server-harness.js';

const transfer = (approvers = {}) =>
  defineTool(
    {
      name: 'transfer',
      description: 'Transfers.',
      input: z.object({ amount: z.number() }),
      needsApproval: true,
      ...approvers,
    },
    ({ amount }) => `sent ${amount}`,
  );
const agent = (approvers = {}) => ({
  tools: [transfer(approvers)],
  model: scriptedModel([{ tools: [{ name: 'transfer', input: { amount: 5 } }] }, 'It is done.']),
});

type Opened = Awaited<ReturnType<typeof openServer>>;
interface Waiting {
  readonly items: readonly { readonly session: string; readonly interrupt: { readonly digest: string } }[];
}

const begin = ({ api }: Pick<Opened, 'api'>, body: object) =>
  api('/v1/sessions', { method: 'POST', body: JSON.stringify(body) });

/** A model that says nothing before it is let go. */
function heldModel() {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const { id, generate } = scriptedModel(Array.from({ length: 5 }, () => 'Now.'));
  const model: Model = {
    id,
    async *generate(request, signal) {
      await held;
      yield* generate(request, signal);
    },
  };
  return { ...model, letGo };
}

/** The first question that waits in a session, as a program finds it. */
async function waitingIn({ api }: Pick<Opened, 'api'>, id: string): Promise<string> {
  return vi.waitFor(async () => {
    const { items } = (await (await api('/v1/waiting')).json()) as Waiting;
    const found = items.find(({ session }) => session === id);
    if (found === undefined) throw new Error('nothing waits');
    return found.interrupt.digest;
  });
}

const answer = ({ api }: Pick<Opened, 'api'>, id: string, digest: string) =>
  api(`/v1/sessions/${id}/answers`, {
    method: 'POST',
    body: JSON.stringify({ interrupt: 'i1', digest, answer: 'y' }),
  });

async function textOf({ api }: Pick<Opened, 'api'>, id: string): Promise<string> {
  return (await api(`/v1/sessions/${id}`)).text();
}

/** A session in which something is paid. */
async function begun(opened: Pick<Opened, 'api'>): Promise<string> {
  const { id } = (await (await begin(opened, { text: 'Pay 5' })).json()) as { readonly id: string };
  return id;
}

/** A session of a server that has ended, in which a question waits. */
async function leftWaiting(store: SessionStore) {
  const first = await openServer({ store, agent: agent() });
  const id = await begun(first);
  const digest = await waitingIn(first, id);
  await first.server.close();
  return { id, digest };
}

/** A session of a server that has ended, answered while nobody was there to go on with it. */
async function leftAnswered(store: SessionStore): Promise<string> {
  const { id, digest } = await leftWaiting(store);
  expect((await answer(await openServer({ store }), id, digest)).status).toBe(200);
  return id;
}

/** Waits until the session says this. */
async function says(opened: Pick<Opened, 'api'>, id: string, text: string): Promise<void> {
  await vi.waitFor(
    async () => {
      expect(await textOf(opened, id)).toContain(text);
    },
    { timeout: 5_000 },
  );
}

describe('POST /v1/sessions', () => {
  test('begins a session of the agent of the server, which goes on once it is answered', async () => {
    const opened = await openServer({ agent: agent() });
    const begun = await begin(opened, { text: 'Pay 5', title: 'Payday' });
    const { id } = (await begun.json()) as { readonly id: string };
    expect([begun.status, begun.headers.get('location')]).toEqual([201, `/v1/sessions/${id}`]);
    const digest = await waitingIn(opened, id);
    expect((await answer(opened, id, digest)).status).toBe(200);
    await says(opened, id, 'It is done.');
    await opened.server.close();
  });

  test('says in the journal who began it: they do not agree to what others must', async () => {
    const opened = await openServer({ agent: agent({ approvers: { notRequester: true } }) });
    const id = await begun(opened);
    const refused = await answer(opened, id, await waitingIn(opened, id));
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('ann requested it'),
    ]);
    await opened.server.close();
  });

  test('A session beyond the slots is told to come again and has not begun; one that is over makes room.', async () => {
    const model = heldModel();
    const opened = await openServer({ agent: { model, slots: 2 } });
    const [first, second] = [await begin(opened, { text: 'one' }), await begin(opened, { text: 'two' })];
    const third = await begin(opened, { text: 'three' });
    expect([first.status, second.status, third.status]).toEqual([201, 201, 503]);
    expect([third.headers.get('retry-after'), await third.json()]).toEqual([
      '5',
      {
        error: {
          code: 'BUSY',
          message: 'too many running sessions',
          hint: 'nothing was started; retry later',
        },
      },
    ]);
    const body = JSON.stringify({ threadId: 't', runId: 'r', messages: [] });
    expect((await opened.api('/agui', { method: 'POST', body })).status).toBe(503);
    const { items } = (await (await opened.api('/v1/sessions')).json()) as Waiting;
    expect(items).toHaveLength(2);
    model.letGo();
    await vi.waitFor(async () => {
      expect((await begin(opened, { text: 'three' })).status).toBe(201);
    });
    await opened.server.close();
  });

  test('What was answered while all slots were taken goes on once one is free.', async () => {
    const store = openStore();
    const { id, digest } = await leftWaiting(store);
    const model = heldModel();
    const opened = await openServer({ store, agent: { model, tools: [transfer()], slots: 1 } });
    expect((await begin(opened, { text: 'one' })).status).toBe(201);
    expect((await answer(opened, id, digest)).status).toBe(200);
    expect(await textOf(opened, id)).not.toContain('sent 5');
    model.letGo();
    await says(opened, id, 'sent 5');
    await opened.server.close();
  });

  test('takes no code, and is not there without an agent', async () => {
    const opened = await openServer({ agent: agent() });
    const refused = await begin(opened, { text: 'Pay', tools: ['./evil.mjs'], model: 'script:evil' });
    expect(refused.status).toBe(400);
    expect((await begin(await openServer(), { text: 'Pay' })).status).toBe(404);
    await opened.server.close();
  });

  test('goes on with no session that something else began', async () => {
    const store = openStore();
    const { question, session } = await asking(store, 'theirs');
    const opened = await openServer({ store, agent: agent() });
    expect((await answer(opened, 'theirs', question.digest)).status).toBe(200);
    const id = await begun(opened);
    expect((await answer(opened, id, await waitingIn(opened, id))).status).toBe(200);
    await says(opened, id, 'It is done.');
    await using held = await store.open(checkSessionId(session), 'read');
    expect(held.state.open).toBeDefined();
    await opened.server.close();
  });

  test('A session goes on with the agent that began it, and with no other agent on the same store.', async () => {
    const store = openStore();
    const id = await leftAnswered(store);
    const opened = vi.spyOn(store, 'open');
    for (const elsewhere of [{ model: scriptedModel(['I am another.']) }, { ...agent(), name: 'other' }]) {
      const clock = fakeClock();
      const other = await openServer({ store, clock, agent: elsewhere });
      await clock.untilSleeping(); // it has looked
      await other.server.close();
    }
    expect(opened).not.toHaveBeenCalled();
    const same = await openServer({ store, agent: agent() });
    await says(same, id, 'It is done.');
    await same.server.close();
  });

  test('An agent is named in letters and digits; its sessions are its own also with other tools.', async () => {
    const store = openStore();
    const refused = openServer({ store, agent: { ...agent(), name: 'pay-er' } });
    await expect(refused).rejects.toMatchObject({ code: 'BAD_CONFIG' });
    const old = await openServer({ store, agent: { model: agent().model, name: 'payer' } });
    const id = await begun(old);
    expect(id).toMatch(/^api-payer-[0-9a-f]{24}$/u);
    await old.server.close();
  });

  test('What was answered while the store was away goes on once it is back.', async () => {
    const clock = fakeClock();
    const store = openStore(undefined, { clock });
    const id = await leftAnswered(store);
    const away = vi.spyOn(store, 'list').mockImplementation(() => {
      throw new HitlError('SAVE_FAILED', 'the database is away');
    });
    const second = await openServer({ store, clock, agent: agent() });
    away.mockRestore();
    await clock.untilSleeping();
    await clock.advance(30_000);
    await says(second, id, 'It is done.');
    await second.server.close();
  });

  test('What somebody else has for a moment goes on once they let go of it.', async () => {
    const store = openStore();
    const id = await leftAnswered(store);
    const worker = await store.open(checkSessionId(id), 'write');
    const opened = vi.spyOn(store, 'open');
    vi.spyOn(store, 'list').mockImplementationOnce(async function* () {
      yield { id } as SessionSummary; // as it was before
    });
    const second = await openServer({ store, agent: agent() });
    await vi.waitFor(() => {
      expect(opened).toHaveBeenCalledWith(id, 'write');
    });
    await worker[Symbol.asyncDispose]();
    await says(second, id, 'It is done.');
    await second.server.close();
  });

  test('goes on by an answer that was left while somebody else had the session for a moment', async () => {
    const store = openStore();
    const opened = await openServer({ store, agent: agent() });
    const id = await begun(opened);
    const digest = await waitingIn(opened, id);
    const held = await vi.waitFor(() => store.open(checkSessionId(id), 'write'));
    const left = await answer(opened, id, digest);
    expect([left.status, ((await left.json()) as { status: string }).status]).toEqual([202, 'left']);
    await held[Symbol.asyncDispose]();
    await says(opened, id, 'It is done.');
    await opened.server.close();
  });

  test('goes on by an answer that somebody else left while others had the session, once it looks again (F1)', async () => {
    const store = openStore();
    const { id, digest } = await leftWaiting(store);
    const held = await store.open(checkSessionId(id), 'write');
    const left = await answer(await openServer({ store }), id, digest);
    expect(((await left.json()) as { status: string }).status).toBe('left');
    await held[Symbol.asyncDispose]();
    const second = await openServer({ store, agent: agent() });
    await says(second, id, 'It is done.');
    await second.server.close();
  });

  test('What a person stopped is gone on with by no start of a server.', async () => {
    const store = openStore();
    const id = await leftAnswered(store);
    const session = await store.open(checkSessionId(id), 'write');
    await session.append([{ type: 'run-ended', reason: { type: 'aborted' } }]);
    await session[Symbol.asyncDispose]();
    const opened = vi.spyOn(store, 'open');
    const second = await openServer({ store, agent: agent() });
    await vi.waitFor(() => {
      expect(opened).toHaveBeenCalledWith(id, 'read');
    });
    await second.server.close();
    expect(opened.mock.calls).toEqual([[id, 'read']]);
  });

  test('goes on with what was answered while no server was there', async () => {
    const store = openStore();
    const id = await leftAnswered(store);
    const second = await openServer({ store, agent: agent() });
    await says(second, id, 'It is done.');
    await second.server.close();
  });
});
