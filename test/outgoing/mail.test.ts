import { expect, test } from 'vitest';

import { openStore } from '../../src/index.js';
import type { Mail } from '../../src/outgoing/index.js';
import { deliverOnce, mailChannel } from '../../src/outgoing/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { asking } from '../server/server-harness.js';

const options = {
  name: 'boss',
  server: 'smtps://a:secret@mail',
  from: 'hitl@example.org',
  to: ['ann@example.org'],
};

async function sent(fail?: Error, server = options.server) {
  const store = openStore();
  const { question } = await asking(store, 'rent', {
    name: 'transfer',
    input: { to: 'a\r\nBcc: b@example.org', amount: 1 },
  });
  const mails: Mail[] = [];
  const servers: string[] = [];
  const channel = mailChannel({ ...options, server, tellsResolved: false }, async (address, mail) => {
    servers.push(address);
    mails.push(mail);
    if (fail !== undefined) throw fail;
  });
  const clock = fakeClock();
  const told: unknown[] = [];
  const world = {
    store,
    clock,
    random: () => 0.5,
    pages: 'https://hitl.example.org',
    told: (note: unknown) => void told.push(note),
  };
  await deliverOnce(world, channel);
  await clock.advance(10_000);
  await deliverOnce(world, channel);
  return { question, mails, servers, told };
}

test('A mail has a line and a link, and one name however often it is sent.', async () => {
  const { question, mails } = await sent(new Error('away'));
  expect(mails).toHaveLength(2);
  const [first, second] = mails;
  expect(first).toEqual(second);
  expect(first?.text.split('\n')[2]).toBe(`https://hitl.example.org/sessions/rent/questions/${question.id}`);
  expect(first?.subject).toMatch(/^\[hitl\] Approval needed: [^\r\n]+$/u);
  expect(first?.messageId).toMatch(/^<msg_[0-9a-f]{30}@hitl\.invalid>$/u);
});

test.each([
  [
    Object.assign(new Error('550 no such user secret'), { responseCode: 550 }),
    'left',
    'the mail server answered 550',
    1,
  ],
  [
    Object.assign(new Error('451 later'), { responseCode: 451 }),
    'waiting',
    'the mail server answered 451',
    2,
  ],
])('A server that says %s is told by its number.', async (error, state, why, count) => {
  const { mails, told } = await sent(error);
  expect([mails.length, told[0]]).toMatchObject([count, { state, why }]);
});

test.each([
  ['smtp://a:secret@mail.example.org', 'smtp://a:secret@mail.example.org?requireTLS=true'],
  [
    'smtp://a:secret@mail.example.org:587/?name=x',
    'smtp://a:secret@mail.example.org:587/?name=x&requireTLS=true',
  ],
  ['smtp://a:secret@mail?requireTLS=true', 'smtp://a:secret@mail?requireTLS=true'],
  ['smtp://a:secret@127.0.0.1:1025', 'smtp://a:secret@127.0.0.1:1025'],
  ['smtp://mail.example.org', 'smtp://mail.example.org?requireTLS=true'],
  ['smtps://a:secret@mail', 'smtps://a:secret@mail'],
])('A mail by %s goes to no connection that was talked out of encryption.', async (server, used) => {
  expect((await sent(undefined, server)).servers).toEqual([used]);
});
