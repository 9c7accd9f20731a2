import { createHmac } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import type { Interrupt, SessionStore } from '../../src/core/index.js';
import { openStore } from '../../src/index.js';
import { deliverOnce, slackChannel, slackValue, slackWords } from '../../src/outgoing/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { playedPost } from '../outgoing/played.js';
import { asking, openServer, PICK } from './server-harness.js';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const REPLY = 'https://hooks.slack.com/actions/T1/2/x';

async function slackServer(store: SessionStore, ...lists: readonly Record<string, string>[]) {
  const [clock, post] = [fakeClock(), playedPost()];
  const slack = (lists.length === 0 ? [{ U7: 'ann', U8: 'bob' }] : lists).map((people) => ({
    ...{ signingSecret: SECRET, replyHosts: ['hooks.slack.com'], post },
    ...{ team: 'T1', people },
  }));
  const { server } = await openServer({ store, clock, slack });
  const click = async (value: string, over: Partial<Click> = {}) => {
    const { way = 'approve', at = clock.now(), secret = SECRET, replyTo = REPLY } = over;
    const { user = 'U7', team = 'T1' } = over;
    const payload = {
      type: 'block_actions',
      team: { id: team },
      user: { id: user, username: 'boss\u202e' },
      actions: [{ action_id: way, value }],
      response_url: replyTo,
    };
    const raw = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const seconds = String(Math.floor(at / 1_000));
    const signature = createHmac('sha256', secret).update(`v0:${seconds}:${raw}`).digest('hex');
    const request = new Request('http://127.0.0.1:4680/hooks/slack', {
      method: 'POST',
      body: over.tampered === true ? `${raw}&x=1` : raw,
      headers: {
        host: '127.0.0.1:4680',
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': seconds,
        'x-slack-signature': `v0=${signature}`,
      },
    });
    return (await server.fetch(request, '127.0.0.1')).status;
  };
  const replies = () =>
    post.sent.map(({ body }) => JSON.parse(body) as { text: string; replace_original: boolean });
  return { click, clock, post, replies };
}

interface Click {
  readonly way: string;
  readonly at: number;
  readonly secret: string;
  readonly replyTo: string;
  readonly user: string;
  readonly team: string;
  readonly tampered: boolean;
}

const valueOf = (session: string, { id: interrupt, digest }: Interrupt) =>
  slackValue({ session: session as never, interrupt, digest }) ?? '';

async function decisions(store: SessionStore, id: string) {
  await using session = await store.open(id as never, 'read');
  return [...session.state.resolved].map(({ resolution, by }) => ({ action: resolution.action, by }));
}

async function sentTo(store: SessionStore, hasWayBack = true) {
  const post = playedPost({ type: 'answered', status: 200, text: '{"ok":true,"ts":"17.2","channel":"C1"}' });
  const to = { type: 'bot', token: 'xoxb-1', channel: 'C1', api: 'https://slack.com/api' } as const;
  const channel = slackChannel({ name: 'chat', to, hasWayBack, tellsResolved: true, allow: [] }, post);
  const world = { store, clock: fakeClock(), random: () => 0, pages: 'https://hitl.example.org' };
  await deliverOnce(world, channel);
  return {
    post,
    again: () => deliverOnce(world, channel),
    body: () => JSON.parse(post.sent.at(-1)?.body ?? '') as Body,
  };
}

interface Body {
  readonly text: string;
  readonly blocks: readonly {
    readonly type: string;
    readonly text?: { readonly text: string };
    readonly elements?: readonly Record<string, unknown>[];
  }[];
}

const buttonsIn = ({ blocks }: Body) =>
  blocks.flatMap(({ type, elements = [] }) =>
    type === 'actions' ? elements.map(({ action_id: id }) => id) : [],
  );

describe('a question in Slack', () => {
  test('It has all of the question above its buttons, and each names the question that was shown.', async () => {
    const store = openStore();
    const { question } = await asking(store, 'rent');
    const { body, post } = await sentTo(store);
    expect(buttonsIn(body())).toEqual(['approve', 'reject', 'open']);
    const [frame] = body().blocks;
    expect(frame).toMatchObject({ type: 'section', expand: true, text: { verbatim: true } });
    for (const part of ['transfer', 'ABC123', '200']) expect(frame?.text?.text).toContain(part);
    const values = body().blocks.flatMap(({ elements = [] }) =>
      elements.map(({ value }) => value).filter(Boolean),
    );
    expect(values).toEqual([valueOf('rent', question), valueOf('rent', question)]);
    expect([post.sent[0]?.url, post.sent[0]?.headers['authorization']]).toEqual([
      'https://slack.com/api/chat.postMessage',
      'Bearer xoxb-1',
    ]);
  });

  test.each([
    ['does not fit', { to: 'x'.repeat(3_000), amount: 1 }],
    ['would leave its frame', { to: '``` <!channel>', amount: 1 }],
    ['has something to warn of', { to: 'ann\u202Egpj.exe', amount: 1 }],
    ['does not fit once its signs are written out', { to: `${'&'.repeat(380)}\n`.repeat(5), amount: 1 }],
  ])('One that %s has a link in the place of a yes.', async (_title, input) => {
    const store = openStore();
    await asking(store, 'rent', { name: 'transfer', input });
    const { blocks } = (await sentTo(store)).body();
    expect(buttonsIn({ text: '', blocks })).toEqual(['reject', 'open']);
    expect(blocks[0]?.text?.text.length).toBeLessThanOrEqual(3_000); // more is taken by no Slack
  });

  test('A line that is too long ends with no half of a sign.', () => {
    const [section] = (slackWords(`${'x'.repeat(2_399)}😀`, 'rent') as unknown as Body).blocks;
    expect(section?.text?.text).toBe(`${'x'.repeat(2_399)}\uFFFD`);
  });

  test('Mentions, links and signs of Slack are written out.', async () => {
    const store = openStore();
    await asking(store, 'rent', {
      name: 'transfer',
      input: { to: '<!channel> <@U1> <https://x|y> &amp;', amount: 1 },
    });
    const text = JSON.stringify((await sentTo(store)).body());
    expect(text).not.toMatch(/<[!@h]/u);
    expect(text).toContain('&lt;!channel&gt; &lt;@U1&gt; &lt;https://x|y&gt; &amp;amp;');
  });

  test('One that has to be typed, and any without a way back, has a link only.', async () => {
    const store = openStore();
    await asking(store, 'way', PICK);
    expect(buttonsIn((await sentTo(store)).body())).toEqual(['open']);
    const other = openStore();
    await asking(other, 'rent');
    expect(buttonsIn((await sentTo(other, false)).body())).toEqual(['open']);
  });

  test('The message of a bot changes once somebody answered elsewhere.', async () => {
    const store = openStore();
    const { question } = await asking(store, 'rent');
    const { again, body, post } = await sentTo(store);
    const by = { type: 'person', name: 'bob', via: 'web' } as const;
    await store.post('rent' as never, {
      id: question.id,
      digest: question.digest,
      resolution: { action: 'reject' },
      by,
    });
    await again();
    expect(post.sent[1]?.url).toBe('https://slack.com/api/chat.update');
    expect(body()).toMatchObject({
      channel: 'C1',
      ts: '17.2',
      text: expect.stringContaining('bob') as string,
    });
    expect(buttonsIn(body())).toEqual([]);
  });
});

describe('a click in Slack', () => {
  test('It answers once: the second click is told who was first.', async () => {
    const store = openStore();
    const { question } = await asking(store, 'rent');
    const { click, replies } = await slackServer(store);
    const value = valueOf('rent', question);
    expect([await click(value), await click(value, { user: 'U8', way: 'reject' })]).toEqual([200, 200]);
    const by = { type: 'person', name: 'ann', via: 'slack', id: { issuer: 'slack:T1', subject: 'U7' } };
    expect(await decisions(store, 'rent')).toEqual([{ action: 'restart', by }]);
    expect(replies()).toMatchObject([
      { replace_original: true, text: '✓ approved by ann' },
      { replace_original: true, text: expect.stringContaining('already approved by ') as string },
    ]);
  });

  test.each<[string, Partial<Click>]>([
    ['was signed by somebody else', { secret: 'another' }],
    ['was changed on the way', { tampered: true }],
    ['comes again after five minutes', { at: Date.UTC(2026, 0, 1) - 301_000 }],
    ['comes from a clock that is ahead', { at: Date.UTC(2026, 0, 1) + 301_000 }],
  ])('One that %s is refused, and nothing is answered.', async (_title, over) => {
    const store = openStore();
    const { question } = await asking(store, 'rent');
    const { click, replies } = await slackServer(store);
    expect(await click(valueOf('rent', question), over)).toBe(401);
    expect([await decisions(store, 'rent'), replies()]).toEqual([[], []]);
  });

  test.each<[string, (question: Interrupt) => string, Partial<Click>, string]>([
    ['for what was asked before', (one) => valueOf('rent', { ...one, digest: 'old' }), {}, 'has changed'],
    ['for another session', (one) => valueOf('other', one), {}, 'session not found: other'],
    [
      'by somebody who has no name here (F11)',
      (one) => valueOf('rent', one),
      { user: 'U9' },
      'Not recorded: no name is configured for the Slack user U9 of team T1',
    ],
    [
      'by the same user ID of another workspace (F11)',
      (one) => valueOf('rent', one),
      { team: 'T666' },
      'Not recorded: sent from another workspace, T666',
    ],
  ])('One %s answers nothing, and is told so.', async (_title, value, over, told) => {
    const store = openStore();
    const { question } = await asking(store, 'rent');
    const { click, replies } = await slackServer(store, { U7: 'ann' });
    expect(await click(value(question), over)).toBe(200);
    expect(await decisions(store, 'rent')).toEqual([]);
    expect(replies()).toMatchObject([{ text: expect.stringContaining(told) as string }]);
  });

  test('Of several channels of one app the one that has a name for the person counts.', async () => {
    const store = openStore();
    const { question } = await asking(store, 'rent');
    const { click, replies } = await slackServer(store, { U8: 'bob' }, { U7: 'ann.lee' });
    await click(valueOf('rent', question), { user: 'U9' });
    expect(replies()).toMatchObject([{ text: expect.stringContaining('no name is configured') as string }]);
    await click(valueOf('rent', question));
    expect(await decisions(store, 'rent')).toMatchObject([{ action: 'restart', by: { name: 'ann.lee' } }]);
  });

  test('A yes to what may have no button counts for nothing, though it is signed.', async () => {
    const store = openStore();
    const { question } = await asking(store, 'rent', {
      name: 'transfer',
      input: { to: 'x'.repeat(3_000), amount: 1 },
    });
    const { click, replies } = await slackServer(store);
    await click(valueOf('rent', question));
    expect([await decisions(store, 'rent'), replies()[0]?.text]).toEqual([[], 'Decide this on its page']);
  });

  test('A name of the configuration is who answers, and a host that nobody named is told nothing.', async () => {
    const store = openStore();
    const { question } = await asking(store, 'rent');
    const { click, replies } = await slackServer(store, { U7: 'ann.lee' });
    await click(valueOf('rent', question), { replyTo: 'https://evil.example/', way: 'reject' });
    expect(await decisions(store, 'rent')).toMatchObject([
      { action: 'reject', by: { name: 'ann.lee', id: { issuer: 'slack:T1', subject: 'U7' } } },
    ]);
    expect(replies()).toEqual([]);
  });
});
