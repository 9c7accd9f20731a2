import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { checkRequest } from '../../src/models/anthropic/request/check-support.js';
import { Home, lines } from '../helpers/program.js';
import { payModule } from '../helpers/tool-module.js';
import type { LooseObject } from '../models/anthropic-server.js';
import { messageStream } from '../models/anthropic-server.js';

const LIMIT = 20_000;
const TURNS = 300;
/** Each of these turns asks for a payment, which a person is asked about. */
const PAYS = 25;

/** Tokens of a request as this server counts them: a token for four characters of its body. */
const tokensOf = (body: LooseObject): number => Math.ceil(JSON.stringify(body).length / 4);

const isSummary = ({ system = [] }: LooseObject): boolean =>
  JSON.stringify(system).includes('You summarize the record');

let server: Server;
let url = '';
let sent: LooseObject[] = [];
/** The requests whose tokens were asked for beforehand. */
let counted: LooseObject[] = [];

/** A server that pays on some turns, talks at length on the others, and counts what it is sent. */
beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as LooseObject;
      if (request.url?.endsWith('/count_tokens') === true) {
        counted.push(body);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ input_tokens: tokensOf(body) }));
        return;
      }
      sent.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(messageStream(answerTo(body)));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

function answerTo(body: LooseObject): LooseObject {
  const n = sent.length;
  const usage = { input_tokens: tokensOf(body), output_tokens: 100 };
  const message = {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    usage,
    stop_sequence: null,
  };
  const says = (text: string) => ({ ...message, content: [{ type: 'text', text }], stop_reason: 'end_turn' });
  if (isSummary(body)) return says(`Summary ${n}: the person counts turns and pays now and then.`);
  const last = (body['messages'] as LooseObject[]).at(-1)?.['content'].at(-1) as LooseObject;
  const turn = /^turn (\d+)/u.exec(String(last['text']))?.[1];
  if (turn === undefined || Number(turn) % PAYS !== 0) return says(`Answer ${n}. ${'word '.repeat(150)}`);
  const call = {
    type: 'tool_use',
    id: `toolu_${n}`,
    name: 'pay',
    input: { to: 'Bob', amount: Number(turn) },
  };
  return { ...message, content: [call], stop_reason: 'tool_use' };
}

describe('a session of 300 turns in a context of 20,000 tokens', () => {
  test('compacts, keeps each question and approval, and never fails', { timeout: 120_000 }, async () => {
    sent = [];
    counted = [];
    using home = new Home();
    const pay = payModule(home, { members: 'needsApproval: true,' });
    const options = ['--base-url', url, '--no-builtin-tools', '--context-limit', String(LIMIT)];
    const env = { ANTHROPIC_API_KEY: 'dummy-key-that-nobody-may-see' };
    const turns = Array.from({ length: TURNS }, (_, index) => {
      const n = index + 1;
      // The last question is left open: another process answers it.
      return n % PAYS === 0 && n < TURNS ? [`turn ${n}`, 'y'] : [`turn ${n}`];
    });
    const first = ['chat', '--model', 'anthropic:m', '--tools', pay.module, ...options];
    const ran = await home.run(first, { input: lines(...turns.flat()), env });
    expect(ran.status).toBe(3);
    const resumed = await home.run(['resume', home.id, ...options], { input: lines('y', '/context'), env });
    expect(resumed.status).toBe(0);
    // What `/context` says adds up to what the server counted for it.
    const asked = tokensOf(counted.pop() ?? {});
    const told = /^([\d,]+) tokens of .*\n((?: {2}.* about [\d,]+\n)+)/mu.exec(resumed.stderr);
    const kinds = (told?.[2] ?? '').match(/[\d,]+$/gmu) ?? [];
    const numbers = [told?.[1] ?? '', ...kinds].map((text) => Number(text.replaceAll(',', '')));
    expect([numbers[0], numbers.slice(1).reduce((sum, tokens) => sum + tokens, 0)]).toEqual([asked, asked]);

    const amounts = Array.from({ length: TURNS / PAYS }, (_, index) => (index + 1) * PAYS);
    expect(pay.paid()).toEqual(amounts.map((amount) => ({ to: 'Bob', amount })));
    const events = home.events();
    const of = (type: string) => events.filter((event) => event['type'] === type);
    expect(of('context-compacted').length).toBeGreaterThanOrEqual(2);
    expect(of('interrupt-raised')).toHaveLength(amounts.length);
    expect(of('interrupt-resolved')).toHaveLength(amounts.length);
    expect(of('run-ended').map(({ reason }) => reason)).toEqual(Array(TURNS).fill({ type: 'done' }));
    expect(Math.max(...sent.map(tokensOf))).toBeLessThan(LIMIT);
    for (const body of sent) expect(checkRequest(body)).toEqual([]);
    // Counted is what a summary left, and not each of the turns.
    expect(counted.length).toBeLessThanOrEqual(of('context-compacted').length + 1);
    const asSent = new Set(sent.map(({ messages }) => JSON.stringify(messages)));
    for (const { messages } of counted) expect(asSent).toContain(JSON.stringify(messages));
    const latest = sent.filter((body) => !isSummary(body)).at(-1);
    expect(JSON.stringify(latest?.['messages'][0])).toMatch(/Summary \d+: the person counts turns/u);
    expect(JSON.stringify(latest?.['messages'][0])).toContain('- approved: ');

    const shown = await home.run(['show', home.id]);
    expect(shown.stdout).toMatch(/^\s*turn 1$/mu);
  });
});
