import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { servedQuestions } from '../../commands/asking/served-questions.js';
import type { SessionStore } from '../../src/index.js';
import { openStore, systemClock } from '../../src/index.js';
import { openServer, HOST } from '../server/server-harness.js';

const secret = new Uint8Array(32).fill(7);
const tokenOf = (name: string) => name.padEnd(32, '-');
const people = [
  { name: 'ann', token: tokenOf('ann') },
  { name: 'bot', token: tokenOf('bot'), roles: ['ask'] as const },
  { name: 'bat', token: tokenOf('bat'), roles: ['ask'] as const },
  { name: 'both', token: tokenOf('both'), roles: ['begin', 'answer'] as const },
  { name: 'rita', token: tokenOf('rita'), roles: ['read'] as const },
];

/** A server over a store on disk; another one over it is the same server, started again. */
async function office(given?: { store: SessionStore; folder: string }) {
  const folder = given?.folder ?? mkdtempSync(join(tmpdir(), 'hitl-served-'));
  if (given === undefined)
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
  const disk = given?.store ?? openStore(join(folder, 'sessions'));
  const questions = servedQuestions(disk, { secret, clock: systemClock }, new AbortController().signal);
  if (questions === undefined) throw new Error('no questions');
  const { server } = await openServer({ store: disk, access: { type: 'tokens', people }, questions });
  onTestFinished(() => server.close());
  const as =
    (name: string) =>
    async (
      path: string,
      body?: object,
      key?: string,
    ): Promise<readonly [number, Record<string, unknown>]> => {
      const headers = {
        ...{ host: HOST, authorization: `Bearer ${tokenOf(name)}`, 'content-type': 'application/json' },
        ...(key !== undefined && { 'idempotency-key': key }),
      };
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await server.fetch(new Request(`http://${HOST}${path}`, init), '127.0.0.1');
      return [response.status, (await response.json()) as Record<string, unknown>];
    };
  const answer = (name: string, { id, digest }: Record<string, unknown>, given: unknown) =>
    as(name)(`/v1/sessions/${String(id)}/answers`, { interrupt: 'i1', digest, answer: given });
  return { as, answer, store: disk, folder };
}

const DEPLOY = { question: 'Deploy 2.1 to eu?', facts: { host: 'web-1' } };
const FORM = {
  type: 'object',
  properties: { region: { type: 'string', enum: ['eu', 'us'] } },
  required: ['region'],
};

describe('POST /v1/questions', () => {
  test.for([
    { kind: 'an approval', body: DEPLOY, given: 'y', outcome: { status: 'approved' } },
    {
      kind: 'a rejection',
      body: DEPLOY,
      given: 'n not on a Friday',
      outcome: { status: 'rejected', reason: 'not on a Friday' },
    },
    {
      kind: 'a choice',
      body: { question: 'Where?', choices: ['eu', 'us'] },
      given: 'us',
      outcome: { status: 'answered', answer: 'us' },
    },
    {
      kind: 'a text',
      body: { question: 'Notes?', text: true },
      given: 'none',
      outcome: { status: 'answered', answer: 'none' },
    },
    {
      kind: 'a form',
      body: { question: 'Where?', form: FORM },
      given: { region: 'eu' },
      outcome: { status: 'answered', answer: { region: 'eu' } },
    },
  ])('asks a person for $kind, who answers at the server', async ({ body, given, outcome }) => {
    const { as, answer } = await office();
    const [status, asked] = await as('bot')('/v1/questions', body);
    const { id, digest } = asked;
    expect([status, asked]).toEqual([201, { id, status: 'waiting', digest }]);
    const waiting = as('bot')(`/v1/questions/${String(id)}?wait=30`);
    expect((await answer('ann', asked, given))[0]).toBe(200);
    const at = expect.any(String);
    expect(await waiting).toEqual([200, { id, digest, by: expect.stringContaining('ann'), at, ...outcome }]);
    expect(await as('bot')(`/v1/questions/${String(id)}`)).toEqual(await waiting);
  });

  test('a key is one question of its program, also after a restart, and its approval is handed out once', async () => {
    const first = await office();
    const [, asked] = await first.as('bot')('/v1/questions', DEPLOY, 'deploy-2.1');
    const [, again] = await first.as('bot')('/v1/questions', DEPLOY, 'deploy-2.1');
    const [, others] = await first.as('bat')('/v1/questions', DEPLOY, 'deploy-2.1');
    expect([again, others['id'] === asked['id']]).toEqual([asked, false]);
    expect(await first.as('bot')('/v1/questions', { question: 'Delete?' }, 'deploy-2.1')).toMatchObject([
      400,
      { error: { code: 'BAD_INPUT', message: 'the key `deploy-2.1` belongs to a different question' } },
    ]);
    await first.answer('ann', asked, 'y');
    const { as } = await office(first);
    const { id } = asked;
    const place = `/v1/questions/${String(id)}`;
    const statusOf = async (request: Promise<readonly [number, Record<string, unknown>]>) => {
      const [, body] = await request;
      return [body['id'], body['status']];
    };
    const ask = (name: string) => statusOf(as(name)('/v1/questions', DEPLOY, 'deploy-2.1'));
    expect(await statusOf(as('rita')(place))).toEqual([id, 'approved']); // who looks takes nothing away
    expect([await ask('bot'), await ask('bot')]).toEqual([
      [id, 'approved'],
      [id, 'used'],
    ]);
    expect(await statusOf(as('bot')(place))).toEqual([id, 'approved']);
    await first.answer('ann', others, 'y');
    expect(await statusOf(as('bat')(`/v1/questions/${String(others['id'])}`))).toEqual([
      others['id'],
      'approved',
    ]);
    expect(await ask('bat')).toEqual([others['id'], 'used']);
  });

  test('whoever asks does not answer, and sees the questions of no other program', async () => {
    const { as, answer } = await office();
    expect((await as('ann')('/v1/questions', DEPLOY))[0]).toBe(403);
    const [, asked] = await as('bot')('/v1/questions', DEPLOY);
    expect((await answer('bot', asked, 'y'))[0]).toBe(403);
    const place = `/v1/questions/${String(asked['id'])}`;
    const hidden = [404, { error: { code: 'SESSION_NOT_FOUND', message: 'question not found' } }];
    expect(await as('bat')(place)).toEqual(hidden);
    expect(await as('bat')('/v1/questions/ask-000000000000')).toEqual(hidden);
    const [, own] = await as('both')('/v1/questions', DEPLOY);
    expect(await answer('both', own, 'y')).toMatchObject([403, { error: { code: 'NOT_ELIGIBLE' } }]);
    expect((await as('bot')(place))[1]).toMatchObject({ status: 'waiting' });
  });

  test.for([
    ['a key with a line break', DEPLOY, 'a b'],
    [
      'a secret',
      { question: 'Where?', form: { type: 'object', properties: { password: { type: 'string' } } } },
    ],
    [
      'a form with a reference',
      { question: 'Q', form: { type: 'object', properties: { a: { $ref: '#' } } } },
    ],
    [
      'a form with a pattern',
      { question: 'Q', form: { type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } } },
    ],
    ['details of great size', { question: 'Q', facts: { a: 'x'.repeat(2_001) } }],
    [
      'a great number of details',
      {
        question: 'Q',
        facts: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n${at}`, 'x'.repeat(1_900)])),
      },
    ],
    ['approvers that are none', { question: 'Q', approvers: 'everybody who likes' }],
    ['a time that approves', { question: 'Q', timeout: '1h', onTimeout: 'approve' }],
    ['a time that is none', { question: 'Q', timeout: 'soon' }],
    ['no question', {}],
  ] as const)('refuses %s, and asks nothing', async ([, body, key]) => {
    const { as, store } = await office();
    expect((await as('bot')('/v1/questions', body, key))[0]).toBe(400);
    expect(await store.waitingCount()).toBe(0);
  });
});
