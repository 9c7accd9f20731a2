import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { FileSession, FileStore } from '../../sessions/index.js';
import { sessionFolder } from '../../sessions/folder/session-folder.js';
import { storeContext } from '../../sessions/folder/store-options.js';
import { inboxFile } from '../../sessions/inbox/inbox-file.js';
import { MessageInbox } from '../../sessions/inbox/message-inbox.js';
import { isFor, targetProblem } from '../../sessions/inbox/message-target.js';
import type {
  InboxMessage,
  MessageDraft,
  Resolution,
  RunInbox,
  SafePoint,
  SessionEvent,
  SessionId,
  SessionMail,
} from '../../src/core/index.js';
import { nodePath } from '../../src/core/index.js';
import { compiled } from '../helpers/compiled.js';
import { ANN } from '../helpers/events.js';
import { agent } from './sample-events.js';
import { storeOfProcesses, temporaryStore, tickingClock } from './temporary-store.js';

function at(where: string, phase: SafePoint['phase'] = 'after'): SafePoint {
  return { phase, path: nodePath(where) };
}

const CHAT = at('', 'turn');

function soon(): AbortSignal {
  return AbortSignal.timeout(60_000);
}

interface World {
  readonly store: FileStore & { readonly root: string };
  readonly session: FileSession;
  readonly queue: SessionMail;
  readonly inbox: RunInbox;
}

async function world(store = temporaryStore()): Promise<World> {
  const session = await store.create({ agent });
  onTestFinished(async () => {
    await session[Symbol.asyncDispose]();
  });
  return { store, session, queue: store.mail(session.id), inbox: session.inbox() };
}

async function send(queue: SessionMail, text: string, draft: Partial<MessageDraft> = {}): Promise<string> {
  return (await queue.send({ text, from: ANN, id: text.replaceAll(' ', '-'), ...draft }, {}, soon())).id;
}

async function act(queue: SessionMail, action: Resolution): Promise<string> {
  return (await queue.send({ text: action.action, from: ANN, action }, {}, soon())).id;
}

/** The same inbox once more, as another process would have it. */
function otherInbox({ store, session }: World): RunInbox {
  const context = storeContext({ root: store.root, clock: tickingClock(), random: randomBytes });
  const now = () => ({ state: session.state, past: '' });
  const place = inboxFile(context, sessionFolder(store.root, session.id), now);
  return new MessageInbox(place, now);
}

/** Takes at a safe point, and keeps what was told. */
async function take(
  { session, inbox }: Pick<World, 'session' | 'inbox'>,
  point: SafePoint = CHAT,
): Promise<{
  readonly texts: readonly string[];
  readonly verb: string | undefined;
  readonly notices: readonly string[];
}> {
  const { messages, control, events, notices, release } = await inbox.take(point, soon());
  await session.append(events);
  release();
  return { texts: messages.map(({ text }) => text), verb: control?.verb, notices };
}

async function typesOf(session: FileSession): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { event } of session.events()) types.push(event.type);
  return types.filter((type) => type.startsWith('inbox-'));
}

const patch = { fast: true };
const edit = { action: 'update-state', patch } as const;

describe('at a safe point', () => {
  test('edits and notes all arrive, up to the first that says where to go (case 76, Q-10)', async () => {
    const here = await world();
    for (const action of [
      edit,
      { action: 'change-condition', patch },
      { action: 'defer', note: 'x' },
      edit,
    ] as const)
      await act(here.queue, action);
    await send(here.queue, 'words');
    expect((await take(here)).texts).toEqual([
      'update-state',
      'change-condition',
      'defer',
      'update-state',
      'words',
    ]);
    for (const action of [edit, { action: 'go-back' }, edit] as const) await act(here.queue, action);
    expect((await take(here)).texts).toEqual(['update-state', 'go-back']);
    expect((await here.queue.metrics()).depth).toBe(1);
    expect((await take(here)).texts).toEqual(['update-state']);
    expect((await take(here)).texts).toEqual([]);
  });

  test('a sequence that says where to go ends the taking (Q-10)', async () => {
    const here = await world();
    await act(here.queue, { action: 'sequence', actions: [edit, { action: 'skip' }] });
    await act(here.queue, edit);
    expect((await take(here)).texts).toEqual(['sequence']);
  });

  test('whoever takes says what the last message is', async () => {
    const { queue, inbox, session } = await world();
    await send(queue, 'one');
    await send(queue, 'two');
    const taken = await inbox.take(CHAT, soon(), { isLast: () => true });
    await session.append(taken.events);
    taken.release();
    expect(taken.messages.map(({ text }) => text)).toEqual(['one']);
  });

  test('a message for another node waits for its node (Q-11)', async () => {
    const here = await world();
    await send(here.queue, 'for review', { target: 'review' });
    await send(here.queue, 'for the second visit', { target: 'review@2' });
    await send(here.queue, 'for all');
    expect((await take(here, at('draft@1'))).texts).toEqual(['for all']);
    expect((await take(here)).texts).toEqual([]);
    expect((await take(here, at('outer@1/review@1'))).texts).toEqual(['for review']);
    expect((await take(here, at('review@2', 'before'))).texts).toEqual(['for the second visit']);
  });

  test('what has expired is dropped, and told (Q-11)', async () => {
    const clock = tickingClock();
    const here = await world(temporaryStore({ clock }));
    await send(here.queue, 'late', {
      expiresAt: new Date(clock.now() + 1000).toISOString(),
      target: 'elsewhere',
    });
    expect((await take(here)).texts).toEqual([]);
    expect(await typesOf(here.session)).toEqual(['inbox-dropped']);
    expect(await here.queue.metrics()).toMatchObject({ queued: 1, expired: 1, delivered: 0, depth: 0 });
    expect((await take(here)).texts).toEqual([]);
    expect(await typesOf(here.session)).toEqual(['inbox-dropped']);
  });

  test('what was taken back is not delivered, and the journal says so', async () => {
    const here = await world();
    const id = await send(here.queue, 'no');
    await here.queue.withdraw([id], soon());
    expect((await take(here)).texts).toEqual([]);
    expect(here.session.state.inbox).toMatchObject({ gone: [[1, 1]], delivered: 0, unsettled: [] });
  });

  test('nothing is told where there is nothing', async () => {
    const { session, inbox } = await world();
    const { version } = session;
    const taken = await inbox.take(CHAT, soon());
    expect({ ...taken, release: undefined }).toEqual({
      messages: [],
      events: [],
      notices: [],
      release: undefined,
    });
    taken.release();
    expect(session.version).toBe(version);
  });
});

describe('a verb', () => {
  test('goes before all messages, and leaves them where they are (Q-5, Q-10)', async () => {
    const here = await world();
    await send(here.queue, 'urgent words', { priority: 'urgent' });
    await here.queue.control({ verb: 'pause', from: ANN, reason: 'let me look' }, soon());
    const { control, ...taken } = await here.inbox.take(CHAT, soon());
    await here.session.append(taken.events);
    taken.release();
    expect(control).toMatchObject({ verb: 'pause', reason: 'let me look', from: ANN });
    expect(taken.messages).toEqual([]);
    expect(await take(here)).toMatchObject({ verb: undefined, texts: ['urgent words'] });
  });

  test.for([
    [['pause', 'resume'], 'resume'],
    [['pause', 'resume', 'pause'], 'pause'],
    [['cancel', 'resume', 'pause'], 'cancel'],
    [['pause', 'cancel', 'resume'], 'cancel'],
  ] as const)('%j is %s: the last wins, but cancel beats all (Q-5)', async ([verbs, holds]) => {
    const here = await world();
    for (const verb of verbs) await here.queue.control({ verb, from: ANN }, soon());
    expect((await take(here)).verb).toBe(holds);
    expect((await take(here)).verb).toBeUndefined();
    expect(await typesOf(here.session)).toEqual(verbs.map(() => 'inbox-delivered'));
  });

  test('reaches a run that waits for something else (case 68)', async () => {
    const here = await world();
    const cancel = here.inbox.control(['cancel'], soon());
    await here.queue.control({ verb: 'pause', from: ANN }, soon());
    await here.queue.control({ verb: 'cancel', from: ANN }, soon());
    expect((await cancel).verb).toBe('cancel');
    expect((await take(here)).verb).toBe('cancel');
  });

  test('no longer reaches who has stopped waiting', async () => {
    const { inbox } = await world();
    const stop = new AbortController();
    const cancel = inbox.control(['cancel'], stop.signal);
    stop.abort(new Error('enough'));
    await expect(cancel).rejects.toThrow('enough');
  });
});

describe('at the end of a run', () => {
  test('messages stay for the next one, and are reported (case 77, Q-12)', async () => {
    const { store, session, queue, inbox } = await world();
    await send(queue, 'too late');
    const left = await inbox.end(soon());
    await session.append(left.events);
    left.release();
    expect(left.messages.map(({ text }) => text)).toEqual(['too late']);
    await session[Symbol.asyncDispose]();
    expect(await store.mail(session.id).list()).toMatchObject({ total: 1 });
    await using again = await store.open(session.id, 'write');
    expect((await take({ session: again, inbox: again.inbox() })).texts).toEqual(['too late']);
  });

  test('verbs for it do not reach the next one (Q-5)', async () => {
    const here = await world();
    await here.queue.control({ verb: 'cancel', from: ANN }, soon());
    const left = await here.inbox.end(soon());
    await here.session.append(left.events);
    left.release();
    expect(left).toMatchObject({ messages: [], events: [{ type: 'inbox-dropped', why: 'run-ended' }] });
    expect((await take(here)).verb).toBeUndefined();
  });

  test('of a graph inside, the queue of the session goes on (case 79, Q-15, Q-16)', async () => {
    const here = await world();
    await send(here.queue, 'inside');
    expect((await take(here, at('outer@1/inner@1'))).texts).toEqual(['inside']);
    await send(here.queue, 'outside');
    expect((await take(here, at('outer@1'))).texts).toEqual(['outside']);
  });
});

describe('delivery', () => {
  async function died(
    store: FileStore,
    id: SessionId,
    keep: (events: readonly SessionEvent[]) => readonly SessionEvent[],
  ) {
    await using session = await store.open(id, 'write');
    const { events, messages, release } = await session.inbox().take(CHAT, soon());
    await session.append(keep(events));
    release();
    return messages.map(({ text }) => text);
  }

  async function stopped(
    ...texts: readonly string[]
  ): Promise<Pick<World, 'store'> & { readonly id: SessionId }> {
    const store = temporaryStore();
    await using session = await store.create({ agent });
    for (const text of texts) await send(store.mail(session.id), text);
    return { store, id: session.id };
  }

  test('that was not journaled before a crash happens again (P27)', async () => {
    const { store, id } = await stopped('one', 'two');
    expect(await died(store, id, () => [])).toEqual(['one', 'two']);
    expect(await died(store, id, (events) => events.slice(0, 1))).toEqual(['one', 'two']);
    expect(await died(store, id, (events) => events.filter(({ type }) => type !== 'inbox-settled'))).toEqual([
      'two',
    ]);
    expect(await died(store, id, (events) => events)).toEqual([]);
  });

  test('before a crash without an effect is never tried again, and told (case 78, Q-13)', async () => {
    const { store, id } = await stopped();
    const action = { action: 'go-back' } as const;
    await store.mail(id).send({ id: 'back', text: 'go back', from: ANN, action }, {}, soon());
    expect(await died(store, id, (events) => events)).toEqual(['go back']);
    await using session = await store.open(id, 'write');
    expect(session.state.inbox?.unsettled).toMatchObject([{ id: 'back', action }]);
    const here = { session, inbox: session.inbox() };
    expect(await take(here)).toEqual({
      texts: [],
      verb: undefined,
      notices: [
        'message back was taken from the queue before this session was interrupted; it did not take effect, and never will',
      ],
    });
    expect(await typesOf(session)).toEqual(['inbox-delivered', 'inbox-settled']);
    expect(session.state.inbox?.unsettled).toEqual([]);
    expect((await take(here)).notices).toEqual([]);
  });

  test('of a later message is not confused with an earlier one, also where the inbox was removed', async () => {
    const { store, id } = await stopped('one', 'two');
    expect(await died(store, id, (events) => events)).toEqual(['one', 'two']);
    rmSync(path.join(store.root, id, 'inbox.jsonl'));
    await send(store.mail(id), 'three');
    expect(await died(store, id, (events) => events)).toEqual(['three']);
  });

  test('that is being settled is not taken for lost', async () => {
    const here = await world();
    await send(here.queue, 'one');
    await take(here);
    await send(here.queue, 'two');
    expect((await take(here)).notices).toEqual([]);
    expect(here.session.state.inbox?.unsettled.map(({ id }) => id)).toEqual(['one', 'two']);
  });

  test('happens once where several parts of a run take at the same time', async () => {
    const here = await world();
    for (let number = 0; number < 10; number += 1) await act(here.queue, { action: 'skip' });
    const taken = await Promise.all(Array.from({ length: 12 }, () => take(here)));
    expect(taken.map(({ texts }) => texts.length).sort()).toEqual([
      0,
      0,
      ...Array.from({ length: 10 }, () => 1),
    ]);
    expect(here.session.state.inbox).toMatchObject({ gone: [[1, 10]], delivered: 10 });
  });

  test('lets whoever waits for its turn be called off', async () => {
    const here = await world();
    await send(here.queue, 'one');
    const first = await here.inbox.take(CHAT, soon());
    const stop = new AbortController();
    const second = here.inbox.take(CHAT, stop.signal);
    stop.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    first.release();
    first.release();
    expect((await take(here)).texts).toEqual(['one']);
  });

  test('keeps out who takes messages back meanwhile', async () => {
    const here = await world();
    await send(here.queue, 'one');
    const taken = await here.inbox.take(CHAT, soon());
    const withdrawn = here.store.mail(here.session.id).withdraw('all', soon());
    await here.session.append(taken.events);
    taken.release();
    expect(await withdrawn).toEqual([]);
  });

  test('waits for the next time where somebody keeps the inbox locked', async () => {
    const here = await world();
    await send(here.queue, 'one');
    const elsewhere = await otherInbox(here).take(CHAT, soon());
    const { texts, notices } = await take(here);
    elsewhere.release();
    expect(texts).toEqual([]);
    expect(notices).toEqual([expect.stringContaining('messages wait for the next safe point')]);
    expect((await take(here)).texts).toEqual(['one']);
  });

  test('is of every message once, in order, while processes send and one takes (G18)', async () => {
    const here = await world(storeOfProcesses({ clock: realClock() }));
    const count = 12;
    const children = ['a', 'b', 'c'].map((name) => sendFromChild(here, name, count));
    const all = Promise.all(children);
    const progress = { isOver: false };
    void all.finally(() => {
      progress.isOver = true;
    });
    const got: InboxMessage[] = [];
    for (;;) {
      const { isOver } = progress; // what was sent before this look is taken by it
      const taken = await here.inbox.take(CHAT, soon());
      await here.session.append(taken.events);
      taken.release();
      got.push(...taken.messages);
      if (isOver) break;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    const counts = await all;
    expect(counts.reduce((sum, { fresh }) => sum + fresh, 0)).toBe(4 * count);
    expect(counts.reduce((sum, { known }) => sum + known, 0)).toBe(2 * count);
    expect(got.map(({ seq }) => seq)).toEqual(Array.from({ length: 4 * count }, (_, index) => index + 1));
    expect(new Set(got.map(({ id }) => id)).size).toBe(4 * count);
    expect(here.session.state.inbox?.gone).toEqual([[1, 4 * count]]);
  });
});

async function sendFromChild(
  { store, session }: World,
  name: string,
  count: number,
): Promise<{ readonly fresh: number; readonly known: number }> {
  const script = compiled(path.join(import.meta.dirname, 'send-child.ts'));
  const args = [script, store.root, session.id, name, String(count)];
  const child = spawn(process.execPath, args, {
    cwd: path.resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return JSON.parse(await textOf(child.stdout));
}

function realClock() {
  const { sleep } = tickingClock();
  return { now: () => Date.now(), sleep };
}

test.for([
  ['review', 'review@1', true],
  ['review', 'outer@1/review@7', true],
  ['review@7', 'outer@1/review@7', true],
  ['review@6', 'outer@1/review@7', false],
  ['outer/review', 'outer@1/review@7', true],
  ['outer@2/review', 'outer@1/review@7', false],
  ['outer', 'outer@1/review@7', false],
  ['a/b/c', 'b@1/c@1', false],
  ['legal/review', 'outer@1/legal/review@1', true],
  ['review', '', false],
  [undefined, '', true],
] as const)('a message for %s at %s is %s (Q-11)', ([target, where, fits]) => {
  expect(isFor(target, where)).toBe(fits);
});

test.for<readonly [target: string, problem: boolean]>([
  ['review', false],
  ['outer/review@9', false],
  ['all/3/review', false],
  ['chief@1/research#call_1', false],
  ['reveiw', true],
  ['outer/reveiw@2', true],
])('a message for %s has no node to reach: %s', ([target, isProblem]) => {
  const names = ['outer', 'review', 'all', 'chief'];
  expect(targetProblem(target, names)).toBe(
    isProblem ? "unknown node `reveiw`; this session's nodes: outer, review, all, chief" : undefined,
  );
  expect(targetProblem(target, undefined)).toBeUndefined();
});

test('a message to a node that the workflow does not have is refused when it is sent', async () => {
  const { session, queue } = await world();
  const started = {
    type: 'graph-started',
    name: 'g',
    hash: 'h',
    start: 'a',
    seed: 1,
    maxIterations: 50,
    inherit: false,
    set: {},
    reducers: {},
    before: [],
    after: [],
    nodes: ['a'],
  } as const;
  await session.append([started]);
  await expect(send(queue, 'to nobody', { target: 'b' })).rejects.toThrow('unknown node `b`');
  await send(queue, 'to somebody', { target: 'a@1' });
  expect((await queue.list()).items.map(({ text }) => text)).toEqual(['to somebody']);
});
