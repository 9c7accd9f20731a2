import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ElicitResult } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';

import { Questions } from '../../commands/asking/questions.js';
import { askingServer } from '../../commands/mcp-server/asking-server.js';
import { loadServerSdk } from '../../commands/mcp-server/sdk.js';
import type { Resolution, SessionId, SessionStore } from '../../src/core/index.js';
import { digestOf, openInterrupts } from '../../src/core/index.js';
import { openChat, openStore, systemClock } from '../../src/library/index.js';
import { scriptedModel } from '../../src/models/index.js';

const secret = new Uint8Array(32).fill(7);
const REGION = { question: 'Which region?', choices: ['eu', 'us'] };

function place({ isOnDisk = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hitl-asking-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const store = isOnDisk ? openStore(join(folder, 'sessions')) : openStore();
  const beside = { fileBeside: (id: SessionId, name: string) => join(folder, `${id}-${name}`) };
  const questions = new Questions({ store, secret, clock: systemClock, beside });
  return { store, questions };
}

async function answer(store: SessionStore, id: string, resolution: Resolution): Promise<void> {
  await using session = await store.open(id as SessionId, 'read');
  const [open] = openInterrupts(session.state);
  if (open === undefined) throw new Error('nothing is open');
  const by = { type: 'person', name: 'ann', via: 'answer' } as const;
  await store.post(session.id, { id: open.id, digest: open.digest, resolution, by });
}

const FROM = 'codex in ~';

const ask = (questions: Questions, more: object = {}) =>
  questions.ask({ tool: 'ask_human', input: REGION, from: FROM, connection: 'one', ...more });

test('a question of another program is asked once on a connection until its answer was given out, and then anew (F9)', async () => {
  const { store, questions } = place();
  const id = await ask(questions);
  expect(await ask(questions)).toBe(id);
  expect(await ask(questions, { from: 'another in ~' })).not.toBe(id);
  expect(await ask(questions, { connection: 'two' })).not.toBe(id);
  await answer(store, id, { action: 'respond', output: 'eu' });
  expect(await ask(questions)).toBe(id);
  const standing = await questions.standing(id, FROM);
  expect(standing).toEqual({ status: 'answered', answer: 'eu' });
  await expect(questions.standing(id, 'another in ~')).rejects.toThrow(`unknown question \`${id}\``);
  expect(questions.giveOut(id, standing)).toEqual(standing);
  const again = await ask(questions);
  expect([again === id, await questions.standing(again, FROM)]).toEqual([false, { status: 'waiting' }]);
});

test('programs that look at one answered question at the same moment all hear of the answer', async () => {
  const { store, questions } = place({ isOnDisk: true });
  const id = await ask(questions);
  await answer(store, id, { action: 'respond', output: 'eu' });
  const looks = await Promise.all(Array.from({ length: 4 }, () => questions.standing(id, FROM)));
  expect(looks).toEqual(Array.from({ length: 4 }, () => ({ status: 'answered', answer: 'eu' })));
});

test('an answer that came while somebody else held the session is found by the next look', async () => {
  const { store, questions } = place();
  const id = await ask(questions);
  const holder = await store.open(id, 'write');
  await answer(store, id, { action: 'respond', output: 'eu' });
  const look = questions.standing(id, FROM);
  await holder[Symbol.asyncDispose]();
  await look;
  expect(await questions.standing(id, FROM)).toEqual({ status: 'answered', answer: 'eu' });
});

test('a question with a key is the same one for ever, and its key names no other', async () => {
  const { store, questions } = place();
  const id = await ask(questions, { key: 'region' });
  await answer(store, id, { action: 'respond', output: 'us' });
  questions.giveOut(id, await questions.standing(id, FROM));
  expect(await ask(questions, { key: 'region', connection: 'two' })).toBe(id);
  expect(await questions.standing(id, FROM)).toEqual({ status: 'answered', answer: 'us' });
  await expect(ask(questions, { key: 'region', input: { question: 'Deploy?' } })).rejects.toThrow(
    'the key `region` belongs to a different question',
  );
});

test('two processes that ask the same question at once file one', async () => {
  const { store, questions } = place();
  const ids = await Promise.all([ask(questions), ask(questions), ask(questions)]);
  expect(new Set(ids).size).toBe(1);
  expect(await store.waitingCount()).toBe(1);
});

test('a yes to an approval of another program names what it approves and is given out once, and a no has its reason (connect 3, F9)', async () => {
  const { store, questions } = place();
  const request = {
    tool: 'request_approval',
    input: { action: 'deploy', facts: { host: 'web-1' } },
  } as const;
  const yes = await ask(questions, { ...request, key: 'a' });
  const about = { action: 'deploy', input: digestOf(request.input) };
  expect(await questions.standing(yes, FROM)).toEqual({ status: 'waiting' });
  await answer(store, yes, { action: 'restart' });
  const approved = await questions.standing(yes, FROM);
  expect(approved).toEqual({ status: 'approved', ...about });
  expect([questions.giveOut(yes, approved), questions.giveOut(yes, approved)]).toEqual([
    { status: 'approved', ...about },
    { status: 'used', ...about },
  ]);
  const no = await ask(questions, { ...request, key: 'b' });
  await answer(store, no, { action: 'reject', reason: 'not on a Friday' });
  expect(await questions.standing(no, FROM)).toEqual({
    status: 'declined',
    reason: 'not on a Friday',
    ...about,
  });
  await expect(
    answer(store, await ask(questions, { ...request, key: 'c' }), {
      action: 'restart',
      input: { action: 'deploy twice', from: 'codex in ~' },
    }),
  ).rejects.toThrow();
});

test('a program asks for no secret, and reads no session that is not its question', async () => {
  const { store, questions } = place();
  const fields = [{ name: 'key', type: 'secret' }];
  await expect(ask(questions, { input: { question: 'Key?', fields } })).rejects.toThrow(
    'another program’s question can never ask for a secret',
  );
  await using chat = await openChat({ store, model: scriptedModel([{ text: 'private' }]), id: 'mine' });
  await chat.say('hello');
  await expect(questions.standing('mine', FROM)).rejects.toThrow('unknown question `mine`');
});

let connections = 0;

/** A client of the server, over a pipe in memory; each is a connection and a server of its own. */
async function clientOf(
  { questions }: Pick<ReturnType<typeof place>, 'questions'>,
  mode: 'legacy' | 'auto',
  form?: ElicitResult,
) {
  connections += 1;
  const sdk = await loadServerSdk();
  const [near, far] = InMemoryTransport.createLinkedPair();
  const options = {
    questions,
    clock: systemClock,
    secret,
    version: '0',
    place: '~',
    connection: String(connections),
    waitMs: 0,
    inClient: form !== undefined,
  };
  sdk.serveStdio(({ era }) => askingServer(sdk, options, era), { transport: far });
  const client = new Client(
    { name: 'codex', version: '1' },
    {
      versionNegotiation: { mode },
      inputRequired: { autoFulfill: form !== undefined },
      ...(form !== undefined && { capabilities: { elicitation: { form: {} } } }),
    },
  );
  if (form !== undefined) client.setRequestHandler('elicitation/create', () => form);
  await client.connect(near);
  return client;
}

/** The only question that waits. */
async function waitingIn(store: SessionStore): Promise<SessionId> {
  for await (const { session } of store.waiting()) return session;
  throw new Error('nothing waits');
}

const textOf = (result: object): string => JSON.stringify(result).replaceAll('\\', '');

const call = async (client: Client, name: string, input: object, more: object = {}): Promise<object> =>
  client.callTool({ name, arguments: { ...input }, ...more }, { allowInputRequired: true });

test('the tools of the server ask and look, and none of them answers', async () => {
  const client = await clientOf(place(), 'legacy');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'ask_human',
    'request_approval',
    'check_answer',
    'list_waiting',
  ]);
  await client.close();
});

test('a client of an older protocol is told that a question waits, and finds the answer by its id', async () => {
  const here = place();
  const client = await clientOf(here, 'legacy');
  const asked = await call(client, 'ask_human', REGION);
  const { id } = (asked as { structuredContent: { id: string } }).structuredContent;
  expect(asked).toMatchObject({ structuredContent: { id, status: 'waiting' } });
  expect(await call(client, 'list_waiting', {})).toMatchObject({
    structuredContent: { waiting: [{ id, asked: 'codex in ~ asks: Which region?' }] },
  });
  await answer(here.store, id, { action: 'respond', output: 'eu' });
  expect(await call(client, 'check_answer', { id })).toMatchObject({
    structuredContent: { id, status: 'answered', answer: 'eu' },
  });
  expect(await call(client, 'check_answer', { id: 'ask-nothing' })).toMatchObject({ isError: true });
  await client.close();
});

test('a client of 2026-07-28 comes back with a signed state, also to another process, and a forged one is refused', async () => {
  const here = place();
  const first = await clientOf(here, 'auto');
  const put = await call(first, 'ask_human', REGION);
  const { requestState } = put as { requestState: string };
  expect(put).toMatchObject({ resultType: 'input_required', inputRequests: {} });
  await first.close();
  const id = await waitingIn(here.store);
  await answer(here.store, id, { action: 'respond', output: 'us' });
  const second = await clientOf(here, 'auto');
  expect(await call(second, 'ask_human', REGION, { requestState })).toMatchObject({
    structuredContent: { id, status: 'answered', answer: 'us' },
  });
  const again = await call(second, 'ask_human', REGION, { requestState });
  expect(textOf(again)).toContain('the returned state was already used, and its answer was delivered');
  const forged = `${requestState.slice(0, -4)}AAAA`;
  await expect(call(second, 'ask_human', REGION, { requestState: forged })).rejects.toThrow(
    'Invalid or expired requestState',
  );
  await second.close();
});

describe('asked in the client, where people chose that', () => {
  const request = { action: 'deploy', facts: { host: 'web-1' } };

  test.for<readonly ['legacy' | 'auto', string, object, ElicitResult, object]>([
    ['legacy', 'ask_human', REGION, { action: 'accept', content: { answer: 'eu' } }, { answer: 'eu' }],
    ['auto', 'ask_human', REGION, { action: 'accept', content: { answer: 'us' } }, { answer: 'us' }],
    [
      'legacy',
      'request_approval',
      request,
      { action: 'accept', content: { approve: true } },
      { status: 'approved' },
    ],
    [
      'auto',
      'request_approval',
      request,
      { action: 'accept', content: { approve: false, reason: 'no' } },
      { reason: 'no' },
    ],
    ['legacy', 'request_approval', request, { action: 'decline' }, { status: 'declined' }],
    ['legacy', 'ask_human', REGION, { action: 'cancel' }, { status: 'waiting' }],
    ['legacy', 'ask_human', REGION, { action: 'accept', content: { answer: 'mars' } }, { isError: true }],
  ])(
    'a %s client that is asked %s gives what its person said',
    async ([mode, tool, input, form, expected]) => {
      const here = place();
      const client = await clientOf(here, mode, form);
      const { structuredContent = {}, ...rest } = (await client.callTool({
        name: tool,
        arguments: { ...input },
      })) as {
        structuredContent?: object;
      };
      expect({ ...rest, ...structuredContent }).toMatchObject(expected);
      await client.close();
    },
  );

  test('a form answers nothing where nobody chose that', async () => {
    const here = place();
    const client = await clientOf(here, 'auto');
    const { requestState } = (await call(client, 'request_approval', request)) as { requestState: string };
    const inputResponses = { answer: { action: 'accept', content: { approve: true } } };
    const again = await call(client, 'request_approval', request, { requestState, inputResponses });
    expect(again).toMatchObject({ resultType: 'input_required' });
    expect(await here.store.waitingCount()).toBe(1);
    await client.close();
  });
});

describe('an approval that another program asked for', () => {
  const A = { action: 'A' };
  const OTHERS: readonly (readonly [string, string, object])[] = [
    ['another action', 'request_approval', { action: 'B different, rm -rf /' }],
    ['another fact', 'request_approval', { ...A, facts: { host: 'web-2' } }],
    ['a key', 'request_approval', { ...A, key: 'k' }],
    ['another tool', 'ask_human', { question: 'A' }],
  ];

  test.for(OTHERS)(
    'is not given for %s by the state of its question (connect 3)',
    async ([, tool, input]) => {
      const here = place();
      const client = await clientOf(here, 'auto');
      const { requestState } = (await call(client, 'request_approval', A)) as { requestState: string };
      await answer(here.store, await waitingIn(here.store), { action: 'restart' });
      const other = await call(client, tool, input, { requestState });
      expect(other).toMatchObject({ isError: true });
      expect(textOf(other)).toContain('the returned state belongs to a different question');
      const given = await call(client, 'request_approval', A, { requestState });
      expect(given).toMatchObject({
        structuredContent: { status: 'approved', action: 'A', input: digestOf(A) },
      });
      await client.close();
    },
  );

  test('is given out once, also to another connection that names it by its id or by its key (F9)', async () => {
    const here = place();
    const [one, two] = [await clientOf(here, 'legacy'), await clientOf(here, 'legacy')];
    const keyed = { ...A, key: 'deploy-1' };
    const { structuredContent } = (await call(one, 'request_approval', keyed)) as {
      structuredContent: { id: string };
    };
    const { id } = structuredContent;
    await answer(here.store, id, { action: 'restart' });
    const input = digestOf(A);
    expect(await call(one, 'check_answer', { id })).toMatchObject({
      structuredContent: { id, status: 'approved', action: 'A', input },
    });
    for (const [client, tool, given] of [
      [one, 'check_answer', { id }],
      [two, 'check_answer', { id }],
      [two, 'request_approval', keyed],
    ] as const)
      expect(await call(client, tool, given)).toMatchObject({
        structuredContent: { id, status: 'used', action: 'A', input },
      });
    await Promise.all([one.close(), two.close()]);
  });

  test('is not the answer to the same request of another connection, which does not see it either (F9)', async () => {
    const here = place();
    const [one, two] = [await clientOf(here, 'legacy'), await clientOf(here, 'legacy')];
    await call(one, 'request_approval', A);
    const id = await waitingIn(here.store);
    expect(await call(two, 'list_waiting', {})).toMatchObject({ structuredContent: { waiting: [] } });
    await answer(here.store, id, { action: 'restart' });
    const again = await call(two, 'request_approval', A);
    expect(again).toMatchObject({ structuredContent: { status: 'waiting' } });
    expect(again).not.toMatchObject({ structuredContent: { id } });
    await Promise.all([one.close(), two.close()]);
  });
});

test.for([
  ['ask_human', { question: 'Which?', choises: ['eu'] }, 'choises'],
  ['ask_human', { question: 'Which?', from: 'the boss' }, 'from'],
  ['request_approval', { action: 'deploy', dryRun: true }, 'dryRun'],
  ['check_answer', { id: 'ask-1', seconds: 5 }, 'seconds'],
  ['list_waiting', { all: true }, 'all'],
] as const)('%s refuses an argument that it does not have by name: %j', async ([tool, input, name]) => {
  const here = place();
  const client = await clientOf(here, 'legacy');
  const refused = await call(client, tool, input);
  expect(refused).toMatchObject({ isError: true });
  expect(textOf(refused)).toContain(`unknown argument \`${name}\` of ${tool}`);
  expect(await here.store.waitingCount()).toBe(0);
  await client.close();
});
