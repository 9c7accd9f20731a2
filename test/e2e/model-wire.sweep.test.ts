import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { pngOf } from '../helpers/png.js';
import { Home, lines } from '../helpers/program.js';
import { payModule } from '../helpers/tool-module.js';
import type { LooseObject } from '../models/anthropic-server.js';
import { LoopbackServer, messageStream, sse } from '../models/anthropic-server.js';

const usage = { input_tokens: 10, output_tokens: 5 };

function reply(content: readonly LooseObject[], more: LooseObject = {}) {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-5-5', usage };
  return sse(messageStream({ ...message, content, stop_reason: 'end_turn', stop_sequence: null, ...more }));
}

const said = (text: string) => ({ type: 'text', text });
const THOUGHT = {
  type: 'thinking',
  thinking: 'Bob is owed 5.\nSo I pay him.',
  signature: 'c2lnbmF0dXJl+/==',
};
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'pay', input: { to: 'Bob', amount: 5 } };

class Talk implements Disposable {
  readonly home = new Home();
  readonly #url: string;

  constructor({ url }: LoopbackServer) {
    this.#url = url;
  }

  run(args: readonly string[], input?: string) {
    const server = ['--base-url', this.#url, '--no-builtin-tools'];
    const env = { ANTHROPIC_API_KEY: 'dummy-key-that-nobody-may-see' };
    return this.home.run([...args, ...server], { env, ...(input !== undefined && { input }) });
  }

  chat(...args: readonly string[]) {
    return this.run(['chat', '-p', 'Pay Bob 5', '--model', 'anthropic:claude-sonnet-5-5', ...args]);
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

test('a tool of the provider is offered where a person named it, told as it runs, kept by the session, and its sources are numbered', async () => {
  const url = 'https://example.com/rain';
  const citations = [
    { type: 'web_search_result_location', url, title: 'Rain', encrypted_index: 'e', cited_text: 'wet' },
  ];
  const found = [{ type: 'web_search_result', url, title: 'Rain', encrypted_content: 'c' }];
  await using server = await LoopbackServer.start(
    reply([
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rain' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: found },
      { type: 'text', text: 'It rains.', citations },
    ]),
    reply([said('Still.')]),
  );
  using talk = new Talk(server);
  const ran = await talk.chat('--server-tool', 'web_search:3:example.com');
  expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 0, stdout: 'It rains.\n' });
  expect(ran.stderr).toContain(
    'web_search runs at the provider without asking (max 3 per request, on example.com)\n',
  );
  expect(ran.stderr).toContain('→ web_search run by the provider  query: rain\n✓ web_search  1 result\n');
  const shown = await talk.home.run(['show', talk.home.id]);
  expect(shown.stdout).toContain(
    '  ✓ web_search  1 result\n  It rains.\n  source 1  Rain  https://example.com/rain\n',
  );
  await talk.run(['resume', talk.home.id, '-p', '--message', 'And now?']);
  const search = {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: 3,
    allowed_domains: ['example.com'],
  };
  expect(server.received.map(({ body }) => body['tools'])).toMatchObject([[search], [search]]);
});

test('an image that goes with the first turn is sent by what its bytes say, and shown with its size', async () => {
  await using server = await LoopbackServer.start(reply([said('A cat.')]));
  using talk = new Talk(server);
  const file = join(talk.home.path, 'cat.jpg');
  writeFileSync(file, pngOf(640, 480));
  const ran = await talk.chat('--attach', file);
  expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 0, stdout: 'A cat.\n' });
  const source = { type: 'base64', media_type: 'image/png', data: pngOf(640, 480).toString('base64') };
  expect(server.received[0]?.body['messages'][0].content).toMatchObject([
    said('Pay Bob 5'),
    said(`The file ${file}:`),
    { type: 'image', source },
  ]);
  const shown = await talk.home.run(['show', talk.home.id]);
  expect(shown.stdout).toContain('[image cat.jpg 640×480 33 bytes]');
});

test('a reply that has to fit a schema is asked for with it, printed alone, and has a status where it does not match its schema', async () => {
  const cities = { type: 'object', properties: { cities: { type: 'array', items: { type: 'string' } } } };
  await using server = await LoopbackServer.start(
    reply([said('{"cities": ["Rome"]}')]),
    reply([said('{"cities": "Rome"}')]),
  );
  using talk = new Talk(server);
  const fits = await talk.chat('--json-schema', JSON.stringify(cities));
  expect({ status: fits.status, stdout: fits.stdout }).toEqual({
    status: 0,
    stdout: '{"cities":["Rome"]}\n',
  });
  expect(server.received[0]?.body['output_config'].format).toEqual({
    type: 'json_schema',
    schema: { ...cities, required: [], additionalProperties: false },
  });
  const misfits = await talk.chat('--json', '--json-schema', JSON.stringify(cities));
  expect({ exit: misfits.status, ...(JSON.parse(misfits.stdout) as object) }).toMatchObject({
    exit: 10,
    status: 'failed',
    error: { code: 'BAD_OUTPUT' },
  });
});

describe('effort and thinking', () => {
  test('are sent, kept by the session, and the thinking goes back byte for byte after the answer', async () => {
    await using server = await LoopbackServer.start(
      reply([THOUGHT, said('I will pay.'), CALL], { stop_reason: 'tool_use' }),
      reply([said('Paid.')]),
    );
    using talk = new Talk(server);
    const { module } = payModule(talk.home, { members: 'needsApproval: true,' });
    const asked = await talk.chat('--effort', 'low', '--thinking', 'on', '--tools', module);
    expect(asked.status).toBe(3);
    expect(asked.stderr).toContain('  model’s reasoning\n  │ Bob is owed 5. So I pay him.\n');
    const resumed = await talk.run(['resume', talk.home.id], lines('y'));
    expect({ status: resumed.status, stdout: resumed.stdout }).toEqual({ status: 0, stdout: 'Paid.\n' });
    const settings = {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
    };
    expect(
      server.received.map(({ body: { thinking, output_config } }) => ({ thinking, output_config })),
    ).toEqual([settings, settings]);
    expect(server.received[1]?.body['messages'][1].content[0]).toEqual(THOUGHT);
  });

  test('are changed by /effort from the next request on, and stay so', async () => {
    await using server = await LoopbackServer.start(
      reply([said('One.')]),
      reply([said('Two.')]),
      reply([said('Three.')]),
    );
    using talk = new Talk(server);
    const ran = await talk.run(
      ['chat', '--model', 'anthropic:claude-sonnet-5-5', '--effort', 'low'],
      lines('Go', '/effort most', '/effort high', 'Go on'),
    );
    expect(ran.stderr).toContain('unknown effort `most`');
    await talk.run(['resume', talk.home.id, '-p', '--message', 'And on']);
    const efforts = server.received.map(({ body }) => body['output_config'].effort);
    expect(efforts).toEqual(['low', 'high', 'high']);
  });

  test('of a resume are those that it is told, before those of the session', async () => {
    await using server = await LoopbackServer.start(reply([said('One.')]), reply([said('Two.')]));
    using talk = new Talk(server);
    await talk.chat('--effort', 'low', '--thinking', 'on');
    await talk.run(['resume', talk.home.id, '-p', '--message', 'Again', '--effort', 'max']);
    expect(server.received[1]?.body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'max' },
    });
  });
});

test('the cache is asked to live for an hour once a person was asked, because the answer takes longer than it would', async () => {
  await using server = await LoopbackServer.start(
    reply([said('I will pay.'), CALL], { stop_reason: 'tool_use' }),
    reply([said('Paid.')]),
  );
  using talk = new Talk(server);
  const { module } = payModule(talk.home, { members: 'needsApproval: true,' });
  await talk.chat('--tools', module);
  await talk.run(['resume', talk.home.id], lines('y'));
  const marks = server.received.map(({ body }) => JSON.stringify(body).match(/"cache_control":\{[^}]*\}/gu));
  const [short, hour] = ['', ',"ttl":"1h"'].map((ttl) => `"cache_control":{"type":"ephemeral"${ttl}}`);
  expect(marks).toEqual([
    [short, short],
    [hour, hour, hour],
  ]);
});

test('a refusal is told with its category and explanation, and has a status of its own', async () => {
  const stop_details = { type: 'refusal', category: 'cyber', explanation: 'It could harm.' };
  const refused = reply([], { stop_reason: 'refusal', stop_details });
  await using server = await LoopbackServer.start(refused, refused);
  using talk = new Talk(server);
  const ran = await talk.chat('--json');
  expect({ exit: ran.status, ...(JSON.parse(ran.stdout) as object) }).toMatchObject({
    exit: 10,
    status: 'refused',
    text: '',
    end: { reason: 'refusal', category: 'cyber', explanation: 'It could harm.' },
  });
  const shown = await talk.chat();
  expect(shown.stderr).toContain('The model declined to continue (cyber): It could harm.');
});

test.for([
  ['max_tokens', 'cut', 'length'],
  ['model_context_window_exceeded', 'context-full', 'context-window'],
] as const)('a reply that ends with %s is told as %s', async ([stop_reason, status, reason]) => {
  await using server = await LoopbackServer.start(reply([said('I beg')], { stop_reason }));
  using talk = new Talk(server);
  const ran = await talk.chat('--json');
  expect({ exit: ran.status, ...(JSON.parse(ran.stdout) as object) }).toMatchObject({
    exit: 10,
    status,
    text: 'I beg',
    end: { reason },
  });
});
