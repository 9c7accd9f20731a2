import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { defineTool, openChat } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { openServer } from './server-harness.js';

/** A sign of each kind that a terminal obeys, or that nobody sees: DEL, C1, bidi, zero width, a tag, half a character. */
const ODD = '\u007f\u009b\u0090\u202e\u200b\u2066\u{e0041}\u2028\ud800';

/** What a request can say of it: half a character is refused. */
const SENT = ODD.slice(0, -1);

/** Every character that `--json` spells out. */
const RAW = /[\u007F-\u009F\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

async function odd() {
  const pay = defineTool(
    { name: 'pay', description: ODD, input: z.object({ to: z.string() }), needsApproval: true },
    ({ to }) => `paid ${to}`,
  );
  const turns = () => [{ tools: [{ name: 'pay', input: { to: ODD } }] }, `Done${ODD}.`];
  const opened = await openServer({
    agent: { tools: [pay], model: scriptedModel([...turns(), ...turns()]) },
  });
  const model = scriptedModel(turns());
  const chat = await openChat({ store: opened.store, id: 'one', tools: [pay], model, title: `A${ODD}` });
  await chat.say(`Pay${ODD}`);
  await chat.close();
  return opened;
}

const say = (body: object) => ({ method: 'POST', body: JSON.stringify(body) });
const client = { threadId: `t${SENT}`, runId: `r${SENT}`, messages: [{ role: 'user', content: 'Pay' }] };
const answer = { interrupt: 'i1', digest: 'f'.repeat(64), answer: SENT };

describe('JSON of the server', () => {
  test.for([
    ['/v1/waiting', undefined, 'u202e'],
    ['/v1/sessions', undefined, 'u202e'],
    ['/v1/sessions/one', undefined, 'u202e'],
    ['/openapi.json', undefined, ''],
    ['/v1/sessions/one/answers', say(answer), ''],
    ['/v1/sessions/one/answers', say({ ...answer, [SENT]: 1 }), 'u202e'],
    [`/v1/sessions/one/answers`, say({ ...answer, interrupt: SENT }), ''],
    ['/v1/sessions/one/messages', say({ text: 'x', id: SENT }), ''],
    ['/v1/nothing', undefined, ''],
    ['/agui', say(client), 'u202e'],
  ] as const)('has nothing in it that a terminal obeys: %s %# (B6)', async ([path, init, has]) => {
    const opened = await odd();
    const text = await (await opened.api(path, init)).text();
    expect([RAW.test(text), text.includes(has)]).toEqual([false, true]);
    await opened.server.close();
  });

  test('streams neither (B6)', async () => {
    const { api, server } = await odd();
    const response = await api('/v1/sessions/one/events');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('interrupt-raised')) text += (await reader.read()).value ?? '';
    await reader.cancel();
    expect([RAW.test(text), text.includes('\\u202e')]).toEqual([false, true]);
    const events = text.split('\n').filter((line) => line.startsWith('data: '));
    const spoken = events.map((line) => JSON.parse(line.slice('data: '.length)) as object);
    expect(JSON.stringify(spoken)).toContain('\u202e');
    await server.close();
  });
});
