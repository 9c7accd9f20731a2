import { chmodSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createHmac, randomBytes } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import type { SessionEvent, SessionId, StoredEvent } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import { ownKey } from '../../sessions/index.js';
import { Seal } from '../../sessions/seal/record-seal.js';
import { agent, approved as agreed, transferTurn } from './sample-events.js';
import { temporaryFolder, temporaryStore } from './temporary-store.js';

const OURS = new Uint8Array(32).fill(1);
const THEIRS = new Uint8Array(32).fill(2);
const ours = (): Uint8Array => OURS;
const theirs = (): Uint8Array => THEIRS;
/** A turn that waits for a person. */
const ASKING = transferTurn().slice(0, 5);

const NOTICE = (id: SessionId): string =>
  `session ${id} was written elsewhere: its approvals are not valid, and you are asked again`;

/** A session in which a call was approved and did not start, and whose tool was allowed for good. */
async function approved(key: () => Uint8Array) {
  const store = temporaryStore({ key });
  await using session = await store.create({ agent });
  await session.append(ASKING);
  const [question] = openInterrupts(session.state);
  if (question === undefined) throw new Error('nothing was asked');
  await session.append([
    agreed(question),
    {
      type: 'rule-added',
      rule: { effect: 'allow', tool: 'transferMoney', toolDigest: 'x' },
      by: { type: 'person', name: 'ann', via: 'terminal' },
    },
  ]);
  return { root: store.root, id: session.id };
}

const approvalOf = (state: { open?: { calls: readonly { approval?: unknown }[] } | undefined }) =>
  state.open?.calls[0]?.approval !== undefined;

describe('the records of a session', () => {
  test('an approval in a session of one’s own counts after a restart of the program', async () => {
    const { root, id } = await approved(ours);
    await using session = await temporaryStore({ root, key: ours }).open(id, 'write');
    expect([session.notices, approvalOf(session.state), session.state.rules.length]).toEqual([[], true, 1]);
  });

  test('an approval and an `always` rule in a session from elsewhere do not count, and that is told and recorded', async () => {
    const { root, id } = await approved(theirs);
    const store = temporaryStore({ root, key: ours });
    await using seen = await store.open(id, 'read');
    expect([seen.notices, approvalOf(seen.state), seen.state.rules]).toEqual([[NOTICE(id)], false, []]);
    {
      await using session = await store.open(id, 'write');
      expect([session.notices, approvalOf(session.state), session.state.rules]).toEqual([
        [NOTICE(id)],
        false,
        [],
      ]);
      await session.append([{ type: 'model-started', attempt: 1 }]);
    }
    await using again = await store.open(id, 'write');
    expect([again.notices, approvalOf(again.state), again.state.rules]).toEqual([[], false, []]);
    const events: StoredEvent[] = [];
    for await (const stored of again.events()) events.push(stored);
    expect(events.slice(-3).map(({ event }) => event.type)).toEqual([
      'approvals-voided',
      'session-opened',
      'model-started',
    ]);
    expect(events.map(({ foreign }) => foreign === true)).toEqual(
      events.map((_, at) => at < events.length - 3),
    );
  });

  test('a copy is foreign until it is opened here, also where all of it was written here', async () => {
    const { root, id } = await approved(ours);
    const there = temporaryStore({ key: ours });
    const given = await temporaryStore({ root, key: ours }).capabilities.copying.give(id);
    await there.capabilities.copying.take(given);
    {
      await using session = await there.open(id, 'write');
      expect([session.notices, approvalOf(session.state), session.state.rules]).toEqual([
        [NOTICE(id)],
        false,
        [],
      ]);
      await session.append([{ type: 'model-started', attempt: 1 }]);
    }
    await using again = await there.open(id, 'write');
    expect([again.notices, approvalOf(again.state)]).toEqual([[], false]);
    const { lines } = await there.capabilities.copying.give(id);
    expect(lines.slice(0, given.lines.length)).toEqual(given.lines);
  });

  test('a session from elsewhere names no server: the key and the conversation would go there', async () => {
    const store = temporaryStore({ key: theirs });
    const { id } = await store.create({ agent: { ...agent, server: 'http://127.0.0.1:9/' } });
    await using session = await temporaryStore({ root: store.root, key: ours }).open(id, 'read');
    expect(session.state.agent).toEqual(agent);
  });

  test('a session of a program that has no key is asked again', async () => {
    const store = temporaryStore();
    const { root, id } = await (async () => {
      await using session = await store.create({ agent });
      await session.append(ASKING);
      return { root: store.root, id: session.id };
    })();
    await using session = await temporaryStore({ root, key: ours }).open(id, 'write');
    expect(session.notices).toEqual([NOTICE(id)]);
    expect(openInterrupts(session.state)).toHaveLength(1);
  });

  test('records of one’s own are none in a session of another name', async () => {
    const { root, id } = await approved(ours);
    const other = await approved(ours);
    cpSync(path.join(other.root, other.id), path.join(root, 'stolen'), { recursive: true });
    await using session = await temporaryStore({ root, key: ours }).open('stolen' as SessionId, 'read');
    expect(session.notices).toEqual([NOTICE('stolen' as SessionId)]);
    expect(id).not.toBe(other.id);
  });

  test('without a key nothing is signed, and no session is foreign', async () => {
    const { root, id } = await approved(theirs);
    await using session = await temporaryStore({ root }).open(id, 'write');
    expect([session.notices, approvalOf(session.state)]).toEqual([[], true]);
  });
});

describe('the snapshot of a session', () => {
  const many = (count: number): SessionEvent[] =>
    Array.from({ length: count }, () => ({ type: 'message-added', message: { role: 'user', content: [] } }));

  async function long(key: () => Uint8Array) {
    const store = temporaryStore({ key });
    await using session = await store.create({ agent });
    await session.append(many(300));
    return { root: store.root, id: session.id };
  }

  test('counts where this user sealed it, and not where somebody else did', async () => {
    const own = await long(ours);
    expect(
      await temporaryStore({ root: own.root, key: ours }).capabilities.doctor.examine(own.id),
    ).toMatchObject({ snapshot: 'fits' });
    const foreign = await long(theirs);
    expect(existsSync(path.join(foreign.root, foreign.id, 'snapshot.json'))).toBe(true);
    expect(
      await temporaryStore({ root: foreign.root, key: ours }).capabilities.doctor.examine(foreign.id),
    ).toMatchObject({
      snapshot: expect.not.stringMatching('fits') as unknown,
    });
  });

  test('counts for nothing after one character of it was changed', async () => {
    const { root, id } = await long(ours);
    const file = path.join(root, id, 'snapshot.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"rules":[]', '"rules":[ ]'));
    expect(await temporaryStore({ root, key: ours }).capabilities.doctor.examine(id)).toMatchObject({
      snapshot: expect.not.stringMatching('fits') as unknown,
    });
  });
});

describe('a mac', () => {
  const place = { kind: 'journal', id: 'a' as SessionId, before: '0'.repeat(16) } as const;

  test.for([0, 1, 400, 16_300, 16_384, 100_000])(
    'of %i bytes is HMAC-SHA-256 of Node, cut to 128 bits',
    (length) => {
      const body = randomBytes(length);
      const expected = createHmac('sha256', OURS)
        .update(`journal\na\n${place.before}\n`)
        .update(body)
        .digest('hex');
      const seal = new Seal(OURS);
      expect(seal.mac(place, body)).toBe(expected.slice(0, 32));
      expect(seal.made({ mac: expected.slice(0, 32), length }, place, body)).toBe(true);
    },
  );

  test('is of its key, its kind, its session, its place and its bytes', () => {
    const body = Buffer.from('a record');
    const others = [
      new Seal(THEIRS).mac(place, body),
      new Seal(OURS).mac({ ...place, kind: 'inbox' }, body),
      new Seal(OURS).mac({ ...place, id: 'b' as SessionId }, body),
      new Seal(OURS).mac({ ...place, before: '1'.repeat(16) }, body),
      new Seal(OURS).mac(place, Buffer.from('another')),
    ];
    const seal = new Seal(OURS);
    expect(others.map((mac) => seal.made({ mac, length: body.length }, place, body))).toEqual(
      others.map(() => false),
    );
  });
});

describe('the key of a user', () => {
  test('is made once, 32 bytes for its owner alone, and is the same afterwards', () => {
    const file = path.join(temporaryFolder(), 'state', 'key');
    const made = ownKey(file, randomBytes);
    expect([made.length, statSync(file).mode & 0o777]).toEqual([32, 0o600]);
    expect(Buffer.from(ownKey(file, randomBytes))).toEqual(Buffer.from(made));
  });

  test.for([0o644, 0o640, 0o620])('is refused where others can read or change it, mode %o', (mode) => {
    const file = path.join(temporaryFolder(), 'key');
    ownKey(file, randomBytes);
    chmodSync(file, mode);
    expect(() => ownKey(file, randomBytes)).toThrow(
      expect.objectContaining({
        code: 'SESSION_UNSAFE',
        message: `your key \`${file}\` is accessible to other users (mode 0${mode.toString(8)})`,
        hint: `chmod 600 ${file}, if no one else used this machine; otherwise move the key away: hitl creates a new one, and asks again about earlier approvals`,
      }),
    );
    expect(statSync(file).mode & 0o777).toBe(mode);
  });

  test('is no file of another length, and no link', () => {
    const file = path.join(temporaryFolder(), 'key');
    writeFileSync(file, 'short');
    expect(() => ownKey(file, randomBytes)).toThrow(expect.objectContaining({ code: 'SESSION_UNSAFE' }));
    expect(() => ownKey(path.join(file, 'below'), randomBytes)).toThrow(
      expect.objectContaining({ code: 'SAVE_FAILED' }),
    );
  });
});
