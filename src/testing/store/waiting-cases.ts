import assert from 'node:assert/strict';

import type { Interrupt, SessionEvent, SessionId, SessionStore, WaitingItem } from '../../core/index.js';
import { interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../core/index.js';
import { approved, called, said, started } from './sample-events.js';
import type { StoreCase } from './store-case.js';
import { closed, collect, filled, promise } from './store-case.js';

const input = { amount: 200 };

/** Returns a question that was asked at this minute past the hour. */
function asked(
  id: string,
  minute: number,
  name = 'transferMoney',
  kind: 'question' | 'confirmation' = 'confirmation',
): Interrupt {
  return makeInterrupt(
    { kind, source: { type: 'tool', ref: toolRef(id), name, input, raisedBy: 'tool' }, payload: { minute } },
    {
      id: interruptId(id),
      path: ROOT_PATH,
      raisedAt: `2026-01-02T03:${String(minute).padStart(2, '0')}:00.000Z`,
    },
  );
}

/** Returns the events of a turn that ends with these questions. */
function asking(...interrupts: readonly Interrupt[]): readonly SessionEvent[] {
  return [
    said('Transfer'),
    {
      type: 'message-added',
      message: {
        role: 'model',
        content: interrupts.map(({ id, source }) => ({
          type: 'tool-request' as const,
          ref: toolRef(id),
          name: source.type === 'tool' ? source.name : '',
          input,
        })),
      },
      end: 'tool-use',
    },
    ...interrupts.flatMap((interrupt): readonly SessionEvent[] => {
      const event = started(interrupt.id, 1, input);
      const name = interrupt.source.type === 'tool' ? interrupt.source.name : '';
      return [
        event.type === 'tool-started' ? { ...event, name } : event,
        { type: 'interrupt-raised', interrupt },
      ];
    }),
  ];
}

function namesOf(items: readonly WaitingItem[]): readonly string[] {
  return items.map(({ session, interrupt }) => `${session} ${interrupt.id}`);
}

async function three(store: SessionStore): Promise<readonly [SessionId, SessionId, SessionId]> {
  return [
    await filled(store, asking(asked('i1', 30))),
    await filled(store, asking(asked('i1', 10), asked('i2', 40, 'sendMail', 'question'))),
    await filled(store, asking(asked('i1', 20, 'sendMail'))),
  ];
}

/** Cases for open interrupts across sessions. */
export const waitingCases: readonly StoreCase[] = [
  promise('open interrupts are listed in full, oldest first, across sessions', async ({ store, another }) => {
    const [a, b, c] = await three(store);
    const items = await collect(another.waiting());
    assert.deepEqual(namesOf(items), [`${b} i1`, `${c} i1`, `${a} i1`, `${b} i2`]);
    assert.deepEqual(items[0], { session: b, title: 'Transfer', interrupt: asked('i1', 10) });
  }),

  promise(
    'questions raised at the same time in one session keep their order, even if there are more than nine',
    async ({ store, another }) => {
      const ids = Array.from({ length: 12 }, (_, index) => `i${index + 1}`);
      const session = await filled(store, asking(...ids.map((id) => asked(id, 10))));
      assert.deepEqual(
        namesOf(await collect(another.waiting())),
        ids.map((id) => `${session} ${id}`),
      );
    },
  ),

  promise('open interrupts can be filtered by kind and tool', async ({ store, another }) => {
    const [a, b, c] = await three(store);
    const found = async (query: Parameters<SessionStore['waiting']>[0]) =>
      namesOf(await collect(another.waiting(query)));
    assert.deepEqual(await found({ kind: 'question' }), [`${b} i2`]);
    assert.deepEqual(await found({ tool: 'transferMoney' }), [`${b} i1`, `${a} i1`]);
    assert.deepEqual(await found({ tool: 'sendMail', kind: 'confirmation' }), [`${c} i1`]);
    assert.deepEqual(await found({ tool: 'nothing' }), []);
  }),

  promise('open interrupts can be filtered by session', async ({ store, another }) => {
    const [a, b, c] = await three(store);
    const found = async (query: Parameters<SessionStore['waiting']>[0]) =>
      namesOf(await collect(another.waiting(query)));
    assert.deepEqual(await found({ sessions: [a, b] }), [`${b} i1`, `${a} i1`, `${b} i2`]);
    assert.deepEqual(await found({ sessions: [b, c], tool: 'sendMail' }), [`${c} i1`, `${b} i2`]);
    assert.deepEqual(await found({ sessions: [] }), []);
    assert.equal(await another.waitingCount({ sessions: [b] }), 2);
  }),

  promise(
    'pages of open interrupts contain each interrupt once, in list order',
    async ({ store, another }) => {
      await three(store);
      const whole = namesOf(await collect(store.waiting()));
      const first = await collect(another.waiting({ limit: 3 }));
      const after = first.at(-1);
      assert.ok(after !== undefined);
      const second = await collect(another.waiting({ limit: 3, after }));
      assert.deepEqual(namesOf([...first, ...second]), whole);
      assert.equal(first.length, 3);
    },
  ),

  promise('open interrupts are counted with the same filters as the list', async ({ store, another }) => {
    await three(store);
    assert.equal(await another.waitingCount(), 4);
    assert.equal(await another.waitingCount({ tool: 'sendMail' }), 2);
    assert.equal(await another.waitingCount({ kind: 'gate' }), 0);
  }),

  promise(
    'answered or removed interrupts are no longer listed, and new ones are',
    async ({ store, another }) => {
      const [a, b, c] = await three(store);
      assert.equal(await another.waitingCount(), 4);
      await using session = await store.open(a, 'write');
      await session.append([approved(asked('i1', 30))]);
      await store.remove(b);
      assert.deepEqual(namesOf(await collect(another.waiting())), [`${c} i1`]);
      await session[Symbol.asyncDispose]();
      const d = await filled(store, asking(asked('i1', 5)));
      assert.deepEqual(namesOf(await collect(another.waiting())), [`${d} i1`, `${c} i1`]);
    },
  ),

  promise('open interrupts in a session that is being written are listed', async ({ store, another }) => {
    await using session = await store.create({ agent: { model: 'demo', tools: [] } });
    await session.append(asking(asked('i1', 10)));
    assert.deepEqual(namesOf(await collect(another.waiting())), [`${session.id} i1`]);
    await session.append([approved(asked('i1', 10))]);
    assert.deepEqual(await collect(another.waiting()), []);
  }),

  promise('a session that never asked has no open interrupts', async ({ store }) => {
    await closed(store.create({ agent: { model: 'demo', tools: [] } }));
    await filled(store, [said('a'), called('a', input)]);
    assert.deepEqual(await collect(store.waiting()), []);
  }),

  promise(
    'a question that needs two approvals shows the first and is decided by the second',
    async ({ store, another }) => {
      const { id, digest: _digest, allowed: _allowed, raisedAt, path, ...draft } = asked('i1', 10);
      const two = makeInterrupt({ ...draft, approvers: { need: 2 } }, { id, path, raisedAt });
      const session = await filled(store, asking(two));
      const by = (name: string) => ({ type: 'person', name, via: 'library' }) as const;
      const yes = (name: string) =>
        ({ id, digest: two.digest, resolution: { action: 'restart' }, by: by(name) }) as const;
      assert.equal((await store.post(session, yes('ann'), { receipt: 'r1' })).type, 'voted');
      assert.equal((await another.post(session, yes('ann'), { receipt: 'r1' })).type, 'voted'); // the same again
      const [item] = await collect(another.waiting());
      assert.deepEqual(
        item?.votes?.map((vote) => vote.by),
        [by('ann')],
      );
      assert.equal((await another.post(session, yes('bob'))).type, 'recorded');
      assert.deepEqual(await collect(store.waiting()), []);
    },
  ),
];
