import { describe, expect, test } from 'vitest';

import type { Identity, Proof } from '../../src/core/index.js';
import { identify, isFirstNamespace, isNamed, maybeSame, personOf, voterOf } from '../../src/core/index.js';

const ISSUER = 'https://login.example.org';
const LOCAL: Proof = {
  type: 'local',
  host: 'box',
  uid: 1000,
  name: 'ann',
  groups: ['ops'],
  namespace: 'first',
};

function identityOf(proof: Proof): Identity {
  const found = identify(proof);
  if (!found.ok) throw new Error(found.why);
  return found.identity;
}

function proxied(subject: string, more: Partial<Proof & { type: 'proxy' }> = {}): Proof {
  return { type: 'proxy', issuer: ISSUER, subject, ...more };
}

describe('an identity', () => {
  test.for<readonly [Proof, Identity]>([
    [LOCAL, { issuer: 'local:box', subject: '1000', name: 'ann', groups: ['ops'] }],
    [
      { type: 'token', issuer: 'hitl serve', name: 'ann', groups: ['ops', 'ops', ' '] },
      { issuer: 'hitl serve', subject: 'ann', name: 'ann', groups: ['ops'] },
    ],
    [
      proxied(' ann ', { name: 'ann@example.org' }),
      { issuer: ISSUER, subject: 'ann', name: 'ann@example.org', groups: [] },
    ],
    [proxied('Ann', { foldsCase: true }), { issuer: ISSUER, subject: 'ann', name: 'ann', groups: [] }],
    [proxied('ａｎｎ'), { issuer: ISSUER, subject: 'ann', name: 'ann', groups: [] }],
    [
      { type: 'slack', team: 'T1', user: 'U1', name: 'ann' },
      { issuer: 'slack:T1', subject: 'U1', name: 'ann', groups: [] },
    ],
  ])('of %j is what was proved', ([proof, identity]) => {
    expect(identify(proof)).toEqual({ ok: true, identity });
  });

  test.for<readonly [Proof, string]>([
    [
      { ...LOCAL, namespace: 'other' },
      'this process runs in another user namespace, where anyone can have user ID 1000',
    ],
    [
      { type: 'local', host: 'box', uid: 4711, groups: [], namespace: 'first' },
      'user ID 4711 has no name on this machine',
    ],
    [{ ...LOCAL, name: 'unknown' }, '`unknown` is not a valid name'],
    [proxied(''), 'the name is empty'],
    [proxied(' \t'), 'the name is empty'],
    [proxied('Unknown'), '`unknown` is not a valid name'],
    [proxied('boss\u202e'), 'the name contains invisible characters'],
    [proxied('ann\nboss'), 'the name contains invisible characters'],
    [proxied('ann', { name: 'a\u0000' }), 'the name contains invisible characters'],
    [proxied('a'.repeat(201)), 'the name has more than 200 characters'],
    [proxied('1000', { issuer: 'local:box' }), '`local:box` is not a valid issuer name'],
    [{ type: 'token', issuer: 'slack:T1', name: 'U1' }, '`slack:T1` is not a valid issuer name'],
    [
      { type: 'slack', team: 'T666', user: 'U666' },
      'no name is configured for the Slack user U666 of team T666',
    ],
    [{ type: 'none', why: 'nobody has signed in' }, 'nobody has signed in'],
  ])('of %j is refused (A9, F11, F14)', ([proof, why]) => {
    expect(identify(proof)).toEqual({ ok: false, why });
  });

  test('is named in the journal by issuer and subject', () => {
    expect(personOf(identityOf(LOCAL), 'answer')).toEqual({
      type: 'person',
      name: 'ann',
      via: 'answer',
      id: { issuer: 'local:box', subject: '1000' },
      groups: ['ops'],
    });
  });
});

test.for<readonly [string, boolean]>([
  ['         0          0 4294967295\n', true],
  ['         1          0          1\n', false],
  ['         0          0          1\n', false],
  ['         0       1000          1\n         1     100000      65536\n', false],
  ['         0          0 4294967295\n         0          0 4294967295\n', false],
  ['', false],
])('a uid_map of %j is the one of the first user namespace: %j (A9)', ([map, isFirst]) => {
  expect(isFirstNamespace(map)).toBe(isFirst);
});

function subject(proof: Proof) {
  return voterOf(personOf(identityOf(proof), 'web'));
}

describe('two identities', () => {
  test.for<readonly [string, Proof, Proof, boolean]>([
    ['one user ID with two names', LOCAL, { ...LOCAL, name: 'anna' }, true],
    ['two user IDs with one name', LOCAL, { ...LOCAL, uid: 1001 }, false],
    ['two spellings of one subject', proxied('ann'), proxied('Ann'), true],
    [
      'two subjects with one name for screens',
      proxied('a1', { name: 'x' }),
      proxied('a2', { name: 'x' }),
      false,
    ],
    ['one name at two issuers', proxied('ann'), LOCAL, true],
    ['two names at two issuers', proxied('bob'), LOCAL, false],
    ['a name for screens and a name at another issuer', proxied('bob', { name: 'ann' }), LOCAL, false],
  ])('%s may be one person: %j', ([, one, other, same]) => {
    expect(maybeSame(subject(one), subject(other))).toBe(same);
    expect(maybeSame(subject(other), subject(one))).toBe(same);
  });
});

describe('an entry of a list', () => {
  test.for<readonly [string, Proof, boolean]>([
    ['ann', LOCAL, true],
    ['1000', LOCAL, false],
    ['local:box/1000', LOCAL, true],
    ['ann', proxied('ann'), true],
    ['Ann', proxied('ann'), false],
    ['boss', proxied('ann', { name: 'boss' }), false],
    [`${ISSUER}/ann`, proxied('ann'), true],
    ['https://other.example.org/ann', proxied('ann'), false],
    ['ann', { type: 'slack', team: 'T1', user: 'U1', name: 'ann' }, true],
    ['U1', { type: 'slack', team: 'T1', user: 'U1', name: 'ann' }, false],
  ])('%s names %j: %j', ([entry, proof, named]) => {
    expect(isNamed(entry, subject(proof))).toBe(named);
  });
});
