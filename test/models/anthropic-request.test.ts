import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue, Message, ModelRequest, Part } from '../../src/core/index.js';
import { checkMessages, textPart, toolRef } from '../../src/core/index.js';
import { checkRequest } from '../../src/models/anthropic/request/check-support.js';
import { strictForm } from '../../src/models/anthropic/request/strict-form.js';
import type { RequestOptions, Schemas } from '../../src/models/anthropic/request/to-request.js';
import { toRequest } from '../../src/models/anthropic/request/to-request.js';
import { WireTools } from '../../src/models/anthropic/request/wire-tools.js';
import type { Loose } from './anthropic-server.js';
import { ask, failureOfAsking, hello, modelFrom, requestOf, sse, toolNamed } from './anthropic-server.js';

const options: RequestOptions = {
  model: 'claude-test',
  maxOutputTokens: 100,
  promptCaching: false,
  unsignedReasoning: false,
};

function bodyOf(request: ModelRequest, more: Partial<RequestOptions> = {}): Loose {
  const body = toRequest(request, new WireTools(request.tools), { ...options, ...more });
  expect(checkRequest(body)).toEqual([]);
  return body;
}

const sent = (messages: Message[], more: Partial<RequestOptions> = {}) =>
  bodyOf(requestOf(messages), more).messages;
const user = (...content: Part[]): Message => ({ role: 'user', content });
const model = (...content: Part[]): Message => ({ role: 'model', content });
const tool = (...content: Part[]): Message => ({ role: 'tool', content });
const request = (ref: string, input: JsonValue = {}, name = 'pay'): Part => {
  return { type: 'tool-request', ref: toolRef(ref), name, input };
};
const response = (ref: string, output: JsonValue, more: Loose = {}): Part => {
  return { type: 'tool-response', ref: toolRef(ref), name: 'pay', output, ...more };
};
const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string, input: JsonObject = {}, name = 'pay') => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: string, more: Loose = {}) => {
  return { type: 'tool_result', tool_use_id: id, content: [text(content)], ...more };
};

describe('the settings of a reply', () => {
  const settings = (more: Partial<ModelRequest>, model = 'claude-test') => {
    const { thinking, output_config } = bodyOf(
      { ...requestOf([hello]), ...more },
      { model, maxOutputTokens: 9000 },
    );
    return { thinking, output_config };
  };

  test('are not sent where nobody chose them', () => {
    expect(settings({})).toEqual({});
  });

  test('are sent in the words of the provider', () => {
    expect(settings({ effort: 'low', thinking: 'on' })).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
    });
    expect(settings({ effort: 'max', thinking: 'off' })).toEqual({
      thinking: { type: 'disabled' },
      output_config: { effort: 'max' },
    });
  });

  test('give a model that thinks within a budget one that leaves room for words', () => {
    expect(settings({ thinking: 'on' }, 'claude-sonnet-4-5').thinking).toEqual({
      type: 'enabled',
      budget_tokens: 8999,
    });
  });
});

describe('the schema of a reply', () => {
  const answer = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
  const closed = {
    type: 'object',
    properties: { n: { type: 'integer', description: '{minimum: 1}' } },
    required: ['n'],
    additionalProperties: false,
  };
  const format = { type: 'json_schema', schema: closed };
  const words = (schema: JsonObject) =>
    `Your final reply must be JSON that matches this schema, with no other text:\n${JSON.stringify(schema)}`;
  const open: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };
  const bodyWith = (outputSchema: JsonObject, schemas: Schemas) => {
    const { system, output_config } = bodyOf(
      requestOf([hello], { outputSchema, effort: 'low', system: 'Be kind.' }),
      { schemas },
    );
    return { system: system[0].text, output_config };
  };

  test.for([
    ['held', answer, 'Be kind.', { effort: 'low', format }],
    ['asked', answer, `Be kind.\n\n${words(answer)}`, { effort: 'low', format }],
    ['told', answer, `Be kind.\n\n${words(answer)}`, { effort: 'low' }],
    ['held', open, `Be kind.\n\n${words(open)}`, { effort: 'low' }],
  ] as const)('is given to a model that is %s to it: %j', ([schemas, schema, system, output_config]) => {
    expect(bodyWith(schema, schemas)).toEqual({ system, output_config });
  });

  test('has its optional members and its unions counted', () => {
    const schema: JsonObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        day: { type: 'string', format: 'date', description: 'When' },
        who: { anyOf: [{ const: 'me' }, { type: ['string', 'null'], pattern: '^a' }] },
        all: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 3 },
      },
      required: ['day'],
      additionalProperties: false,
    };
    expect(strictForm(schema)).toEqual({
      optional: 2,
      unions: 2,
      schema: {
        type: 'object',
        properties: {
          day: { type: 'string', format: 'date', description: 'When' },
          who: {
            anyOf: [{ const: 'me' }, { type: ['string', 'null'], description: '{pattern: "^a"}' }],
          },
          all: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, description: '{maxItems: 3}' },
        },
        required: ['day'],
        additionalProperties: false,
      },
    });
  });

  test.for([
    { $ref: '#/$defs/a' },
    { type: 'object', patternProperties: {} },
    { type: 'object', required: ['gone'] },
    { type: 'array' },
    { type: 'array', items: { type: 'object', additionalProperties: true } },
    { anyOf: [] },
    { enum: [{}] },
    { not: {} },
    {},
  ] as JsonObject[])('has no strict form where it says %j', (schema) => {
    expect(strictForm(schema)).toBeUndefined();
  });
});

describe('tools that a model is held to', () => {
  const free: JsonObject = { type: 'object', properties: { a: {} } };
  const withOptional = (count: number): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, { type: 'string' }])),
  });
  const strictOnes = (schemas: readonly JsonObject[], how: Schemas) => {
    const tools = schemas.map((schema, index) => toolNamed(`t${index}`, schema));
    const { tools: sent } = bodyOf(requestOf([hello], { tools }), { schemas: how });
    return sent.flatMap(({ name, strict }: Loose) => (strict === true ? [name] : []));
  };

  test('are those whose schema can be kept to, up to what the API takes', () => {
    expect(strictOnes([free, withOptional(20), withOptional(5), withOptional(4)], 'held')).toEqual([
      't1',
      't3',
    ]);
    expect(
      strictOnes(
        Array.from({ length: 25 }, () => withOptional(0)),
        'held',
      ),
    ).toHaveLength(20);
  });

  test('are none with a server that is only asked', () => {
    expect(strictOnes([withOptional(1)], 'asked')).toEqual([]);
  });
});

describe('more tools than a model is sent in full', () => {
  const tools = Array.from({ length: 31 }, (_, index) => toolNamed(`t${index}`));
  const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
  const found = (...names: string[]) => ({
    type: 'tool_search_tool_result',
    tool_use_id: 'srv1',
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: names.map((name) => ({ type: 'tool_reference', tool_name: name })),
    },
  });
  const call = { type: 'server_tool_use', id: 'srv1', name: search.name, input: { query: 'pay' } };
  const own = (data: JsonObject): Part => ({ type: 'data', data, metadata: { anthropic: { block: 'x' } } });
  const searched = [hello, model(own(call), own(found('t25', 'gone')), textPart('done')), hello];

  test('are searched behind the first of them, and the mark of the cache stands before those', () => {
    const { tools: sentTools } = bodyOf(requestOf([hello], { tools }), {
      searchesTools: true,
      promptCaching: true,
    });
    expect(sentTools[0]).toEqual(search);
    expect(sentTools.slice(1).map(({ defer_loading }: Loose) => defer_loading ?? false)).toEqual(
      tools.map((_, index) => index >= 20),
    );
    const marked = sentTools.flatMap(({ name, cache_control }: Loose) => (cache_control ? [name] : []));
    expect(marked).toEqual(['t19']);
  });

  test.for([
    ['of 30 tools', 30, true],
    ['by a model that searches none', 31, false],
  ] as const)('are none %s', ([, count, searchesTools]) => {
    const { tools: sentTools } = bodyOf(requestOf([hello], { tools: tools.slice(0, count) }), {
      searchesTools,
    });
    expect(sentTools.map(({ name }: Loose) => name)).toEqual(tools.slice(0, count).map(({ name }) => name));
    expect(JSON.stringify(sentTools)).not.toContain('defer_loading');
  });

  test('go back as they were found, without one that is not offered any more', () => {
    const content = (searchesTools: boolean) =>
      bodyOf(requestOf(searched, { tools }), { searchesTools }).messages[1].content;
    expect(content(true)).toEqual([call, found('t25'), text('done')]);
    expect(content(false)).toEqual([text('done')]);
  });
});

test('tools that the provider runs stand behind ours, within what a person agreed to', () => {
  const { tools } = bodyOf(
    requestOf([hello], {
      tools: [toolNamed('pay')],
      providerTools: [
        { name: 'web_search', maxUses: 3, domains: ['example.com'] },
        { name: 'web_fetch', maxUses: 5 },
        { name: 'code_execution' },
      ],
    }),
  );
  expect(tools.slice(1)).toEqual([
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['example.com'] },
    { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 5 },
    { type: 'code_execution_20250825', name: 'code_execution' },
  ]);
});

describe('a request', () => {
  test('holds model, limit, system prompt, tools and messages, and streams', () => {
    const body = bodyOf(
      requestOf([hello], {
        system: 'Be kind.',
        tools: [toolNamed('pay', { type: 'object', properties: {} })],
      }),
      { extraBody: { thinking: { type: 'adaptive' } } },
    );

    expect(body).toEqual({
      model: 'claude-test',
      max_tokens: 100,
      stream: true,
      system: [text('Be kind.')],
      tools: [{ name: 'pay', description: 'The tool pay', input_schema: { type: 'object', properties: {} } }],
      messages: [{ role: 'user', content: [text('Hello')] }],
      thinking: { type: 'adaptive' },
    });
  });

  test('asks for as many tokens as the request says', () => {
    expect(bodyOf(requestOf([hello], { maxOutputTokens: 7 })).max_tokens).toBe(7);
  });

  test('moves system messages into the system prompt', () => {
    const messages: Message[] = [{ role: 'system', content: [textPart('Second.')] }, hello];

    expect(bodyOf(requestOf(messages, { system: 'First.' }))).toMatchObject({
      system: [text('First.\n\nSecond.')],
      messages: [{ role: 'user', content: [text('Hello')] }],
    });
  });

  test('makes one turn of neighbours, results first (G19)', () => {
    const messages = [
      hello,
      user(textPart('and more')),
      model(request('a'), request('b')),
      tool(response('a', 'A'), response('b', 'B')),
      user(textPart('now this')),
    ];

    expect(sent(messages)).toEqual([
      { role: 'user', content: [text('Hello'), text('and more')] },
      { role: 'assistant', content: [use('a'), use('b')] },
      { role: 'user', content: [result('a', 'A'), result('b', 'B'), text('now this')] },
    ]);
  });

  test('puts text before the calls of its turn, which the API refuses after them, and moves nothing else', () => {
    const thought: Part = {
      type: 'reasoning',
      text: 'hm',
      metadata: { anthropic: { type: 'thinking', signature: 's' } },
    };
    const messages = [
      hello,
      model(request('a'), thought, textPart('I pay.'), request('b')),
      tool(response('a', 1), response('b', 2)),
    ];

    expect(sent(messages)[1].content).toEqual([
      text('I pay.'),
      use('a'),
      { type: 'thinking', thinking: 'hm', signature: 's' },
      use('b'),
    ]);
  });

  test('marks errors, and never sends one without words', () => {
    const messages = [
      hello,
      model(request('a'), request('b'), request('c'), request('d')),
      tool(
        response('a', 'it broke', { isError: true }),
        response('b', ' ', { isError: true }),
        response('c', ''),
        response('d', { ok: true, list: [0, null] }),
      ),
    ];

    expect(sent(messages)[2].content).toEqual([
      result('a', 'it broke', { is_error: true }),
      result('b', 'the tool failed without a message', { is_error: true }),
      { type: 'tool_result', tool_use_id: 'c' },
      result('d', '{"ok":true,"list":[0,null]}'),
    ]);
  });

  test('sends thinking back byte for byte, and leaves out what Anthropic could not verify', () => {
    const content: Part[] = [
      {
        type: 'reasoning',
        text: ' As it was…\n',
        metadata: { anthropic: { type: 'thinking', signature: 'Eq+/=' } },
      },
      { type: 'reasoning', text: '', metadata: { anthropic: { type: 'thinking', signature: 'omitted' } } },
      { type: 'reasoning', text: '', metadata: { anthropic: { type: 'redacted_thinking', data: 'Zm+/=' } } },
      { type: 'reasoning', text: 'unsigned', metadata: { anthropic: { type: 'thinking', signature: '' } } },
      { type: 'reasoning', text: 'of another provider' },
      textPart('done'),
    ];
    const signed = [
      { type: 'thinking', thinking: ' As it was…\n', signature: 'Eq+/=' },
      { type: 'thinking', thinking: '', signature: 'omitted' },
      { type: 'redacted_thinking', data: 'Zm+/=' },
    ];

    expect(sent([hello, model(...content)])[1].content).toEqual([...signed, text('done')]);
    expect(sent([hello, model(...content)], { unsignedReasoning: true })[1].content).toEqual([
      ...signed,
      { type: 'thinking', thinking: 'unsigned', signature: '' },
      text('done'),
    ]);
    expect(sent([hello, model(...content)], { reasoningFrom: 2 })[1].content).toEqual([text('done')]);
  });

  test('sends blocks of the provider as they were, and other data as text', () => {
    const search = {
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_search',
      input: { query: 'rain' },
    };
    const own: Part = { type: 'data', data: search, metadata: { anthropic: { block: 'server_tool_use' } } };
    const free: Part = { type: 'data', data: { rows: 2 } };

    expect(sent([user(free), model(own, textPart('x'))])).toEqual([
      { role: 'user', content: [text('{"rows":2}')] },
      { role: 'assistant', content: [search, text('x')] },
    ]);
  });

  test('answers calls that the provider made itself, which are never run here (G21)', () => {
    const foreign = { ...use('toolu_x'), caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' } };
    const own: Part = { type: 'data', data: foreign, metadata: { anthropic: { block: 'tool_use' } } };

    expect(sent([hello, model(own, request('a')), tool(response('a', 'A'))])[2].content).toEqual([
      result('a', 'A'),
      {
        type: 'tool_result',
        tool_use_id: 'toolu_x',
        content: 'not run: this client runs direct calls only',
        is_error: true,
      },
    ]);
  });

  test('leaves out blank text, which the API refuses, and turns that are left empty', () => {
    const messages = [user(textPart(' \n')), model(textPart('')), user(textPart('Hello'), textPart('\t'))];

    expect(sent(messages)).toEqual([{ role: 'user', content: [text('(no text)'), text('Hello')] }]);
  });

  test('replaces lone surrogates everywhere (G19)', () => {
    const messages = [
      user(textPart('a\ud83d')),
      model(request('a', { '\ude00': ['\ud83d'] })),
      tool(response('a', 'x')),
    ];
    const body = bodyOf(requestOf(messages, { system: 'be \ud83d' }));

    expect(body.system).toEqual([text('be \uFFFD')]);
    expect(body.messages.slice(0, 2)).toEqual([
      { role: 'user', content: [text('a\uFFFD')] },
      { role: 'assistant', content: [use('a', { '\uFFFD': ['\uFFFD'] })] },
    ]);
  });

  test('maps what the provider refuses in names and refs, the same way each time', () => {
    const name = 'a tool with spaces and über-long name '.repeat(3);
    const messages = [
      hello,
      model(request('call~2', {}, name), request('call.2', {}, name)),
      tool(response('call~2', 1, { name }), response('call.2', 2, { name })),
    ];
    const tools = [toolNamed(name), toolNamed('pay')];
    const { tools: offered, messages: wire } = bodyOf(requestOf(messages, { tools }));

    expect(offered.map((each: Loose) => each.name)).toEqual([
      expect.stringMatching(/^a_tool_with_spaces_and__ber-long_name_[a-z_-]{12}_[0-9a-f]{8}$/),
      'pay',
    ]);
    expect(wire[1].content.map((each: Loose) => each.name)).toEqual([offered[0].name, offered[0].name]);
    expect(wire[1].content.map((each: Loose) => each.id)).toEqual(
      wire[2].content.map((each: Loose) => each.tool_use_id),
    );
    expect(new Set(wire[1].content.map((each: Loose) => each.id)).size).toBe(2);
  });

  test('calls a tool by its own name again when the model asks for it', async () => {
    const name = 'files.read';
    const answer = (body: Loose) => {
      const block = { type: 'tool_use', id: 'a', name: body.tools[0].name, input: {} };
      return sse(toolStream(block, '{"path":"x"}'));
    };
    const { reply } = await ask(modelFrom(answer), requestOf([hello], { tools: [toolNamed(name)] }));

    expect(reply.content).toEqual([{ type: 'tool-request', ref: 'a', name, input: { path: 'x' } }]);
  });

  test('makes a legal name of one that the model made up', async () => {
    const answer = () => sse(toolStream({ type: 'tool_use', id: 'a', name: 'my tool!', input: {} }, '{}'));
    const { reply } = await ask(modelFrom(answer));

    expect(reply.content).toEqual([
      { type: 'tool-request', ref: 'a', name: expect.stringMatching(/^my_tool__[0-9a-f]{8}$/), input: {} },
    ]);
  });

  test('shows scalar inputs as { value } and takes them out again', async () => {
    const tools = [toolNamed('shout', { type: 'string' }), toolNamed('pay')];
    const history = [
      hello,
      model(request('s', 'HEY', 'shout')),
      tool(response('s', 'ok', { name: 'shout' })),
    ];
    let body: Loose;
    const answer = (raw: string) => (got: Loose) => {
      body = got;
      return sse(toolStream({ type: 'tool_use', id: 'a', name: 'shout', input: {} }, raw));
    };
    const { reply } = await ask(modelFrom(answer('{"value":"HO"}')), requestOf(history, { tools }));
    const wrong = await ask(modelFrom(answer('{"text":"HO"}')), requestOf(history, { tools }));

    expect(body.tools[0].input_schema).toEqual({
      type: 'object',
      properties: { value: { type: 'string' } },
      required: ['value'],
      additionalProperties: false,
    });
    expect(body.messages[1].content).toEqual([use('s', { value: 'HEY' }, 'shout')]);
    expect(reply.content).toEqual([{ type: 'tool-request', ref: 'a', name: 'shout', input: 'HO' }]);
    expect(wrong.reply.content).toEqual([
      {
        type: 'tool-request',
        ref: 'a',
        name: 'shout',
        input: {},
        problem: 'the input must be an object with only the property `value`',
      },
    ]);
  });

  test('sends a call whose input was not accepted without it', () => {
    const bad: Part = { type: 'tool-request', ref: toolRef('a'), name: 'pay', input: {}, problem: 'no JSON' };
    const tools = [toolNamed('pay', { type: 'number' })];
    const messages = [hello, model(bad), tool(response('a', 'no JSON', { isError: true }))];

    expect(bodyOf(requestOf(messages, { tools })).messages[1].content).toEqual([use('a', {})]);
  });

  test('offers the tools of its history, and allows none, where there are no others', () => {
    const messages = [hello, model(request('a')), tool(response('a', 'A'))];

    expect(bodyOf(requestOf(messages))).toMatchObject({
      tools: [{ name: 'pay', description: 'No longer available.', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  test.for<[string, Part, JsonObject]>([
    [
      'an inline image',
      { type: 'media', url: 'data:image/png;base64,aGk=' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    ],
    [
      'a linked image',
      { type: 'media', url: 'https://example.org/a.png' },
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
    ],
    [
      'a document',
      { type: 'media', url: 'data:application/pdf;base64,aGk=', contentType: 'application/pdf' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } },
    ],
    [
      'what it cannot show',
      { type: 'media', url: 'data:audio/mpeg;base64,aGk=' },
      text('[an attachment of type audio/mpeg is not shown to this model]'),
    ],
  ])('shows %s, also as a part of a result', ([, part, block]) => {
    const messages = [user(part), model(request('a')), tool(response('a', null, { content: [part] }))];

    expect(sent(messages)).toEqual([
      { role: 'user', content: [block] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [block] }] },
    ]);
  });
});

function toolStream(block: JsonObject, raw: string): string {
  const events: Loose[] = [
    { type: 'message_start', message: {} },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: raw } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

describe('prompt caching', () => {
  const mark = { cache_control: { type: 'ephemeral' } };

  test('marks tools, system prompt and the last two user turns, four places at most', () => {
    const tools = [toolNamed('pay'), toolNamed('balance')];
    const messages = [
      hello,
      model(request('a')),
      tool(response('a', 'A')),
      model(textPart('x')),
      user(textPart('y')),
    ];
    const body = bodyOf(requestOf(messages, { system: 'Be kind.', tools }), { promptCaching: true });

    expect(body.system).toEqual([{ ...text('Be kind.'), ...mark }]);
    expect(body.tools.map((each: Loose) => each.cache_control)).toEqual([undefined, mark.cache_control]);
    expect(body.messages).toEqual([
      { role: 'user', content: [text('Hello')] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [{ ...result('a', 'A'), ...mark }] },
      { role: 'assistant', content: [text('x')] },
      { role: 'user', content: [{ ...text('y'), ...mark }] },
    ]);
  });

  test('leaves a request without tools and system prompt otherwise as it is', () => {
    expect(bodyOf(requestOf([hello]), { promptCaching: true })).toEqual({
      model: 'claude-test',
      max_tokens: 100,
      stream: true,
      messages: [{ role: 'user', content: [{ ...text('Hello'), ...mark }] }],
    });
  });

  test('is on by default and can be turned off', async () => {
    const bodies: Loose[] = [];
    const answer = (body: Loose) => {
      bodies.push(body);
      return sse('');
    };
    await failureOfAsking(ask(modelFrom(answer)));
    await failureOfAsking(ask(modelFrom(answer, { promptCaching: false })));

    expect(bodies.map(({ messages }) => messages[0].content[0])).toEqual([
      { ...text('Hello'), ...mark },
      text('Hello'),
    ]);
  });
});

describe('the request checker (G19)', () => {
  const base = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: [text('x')] }] };
  const turn = (role: string, ...content: Loose[]) => ({ role, content });
  const first = turn('user', text('x'));

  test.for<[string, Loose, string[]]>([
    ['no model', { ...base, model: '' }, ['model: empty']],
    ['no limit', { ...base, max_tokens: 0 }, ['max_tokens: not a positive integer']],
    ['no messages', { ...base, messages: [] }, ['messages: none']],
    [
      'bad tools',
      {
        ...base,
        tools: [
          { name: 'a b', input_schema: { type: 'object' } },
          { name: 'x', input_schema: {} },
          { name: 'x', type: 'bash_1' },
        ],
      },
      [
        'tools.0: illegal name `a b`',
        'tools.1: input_schema is not an object schema',
        'tools.2: duplicate name `x`',
      ],
    ],
    ['an empty system prompt', { ...base, system: [text(' ')] }, ['system.0: empty text']],
    [
      'a first turn of the assistant, and two in a row',
      { ...base, messages: [turn('assistant', text('x')), turn('assistant', text('y'))] },
      [
        'messages.0: the first message is not from the user',
        'messages.1: two messages with role assistant in a row',
      ],
    ],
    [
      'an unknown role',
      { ...base, messages: [first, turn('tool', text('x'))] },
      ['messages.1: unknown role `tool`'],
    ],
    [
      'empty content and empty text',
      { ...base, messages: [turn('user'), turn('assistant', text('')), { role: 'user', content: '' }] },
      ['messages.0: empty content', 'messages.1: empty text', 'messages.2: empty text'],
    ],
    [
      'a block without a type',
      { ...base, messages: [turn('user', { text: 'x' })] },
      ['messages.0: a block without a type'],
    ],
    [
      'an unanswered call at the end',
      { ...base, messages: [first, turn('assistant', use('a'))] },
      ['messages.1: tool_use without tool_result after it'],
    ],
    [
      'an unanswered call, an orphan result',
      { ...base, messages: [first, turn('assistant', use('a')), turn('user', result('b', 'B'))] },
      [
        'messages.2: tool_result `b` does not match an open tool_use',
        'messages.2: tool_use `a` in the previous message has no tool_result',
      ],
    ],
    [
      'two answers to one call',
      {
        ...base,
        messages: [first, turn('assistant', use('a')), turn('user', result('a', '1'), result('a', '2'))],
      },
      ['messages.2: tool_result `a` does not match an open tool_use'],
    ],
    [
      'text before a result, and after a call',
      {
        ...base,
        messages: [first, turn('assistant', use('a'), text('y')), turn('user', text('z'), result('a', 'A'))],
      },
      ['messages.1: text after tool_use', 'messages.2: tool_result `a` is not at the start of its message'],
    ],
    [
      'ids that are used twice or illegal, an illegal name, an input that is no object',
      {
        ...base,
        messages: [
          first,
          turn('assistant', use('a'), use('a'), { ...use('~', {}, 'x y'), input: [] }),
          turn('user', result('a', '1'), result('~', '2')),
        ],
      },
      [
        'messages.1: tool_use id `a` is not unique',
        'messages.1: illegal tool_use id `~`',
        'messages.1: illegal tool name `x y`',
        'messages.1: the input of `~` is not an object',
      ],
    ],
    [
      'calls and results in turns of the other side',
      { ...base, messages: [turn('user', use('a')), turn('assistant', result('a', 'A'))] },
      ['messages.0: tool_use in a user message', 'messages.1: tool_result in an assistant message'],
    ],
    [
      'errors and results without words',
      {
        ...base,
        messages: [
          first,
          turn('assistant', use('a'), use('b')),
          turn('user', { type: 'tool_result', tool_use_id: 'a', is_error: true }, result('b', ' ')),
        ],
      },
      ['messages.2: the error `a` has no content', 'messages.2: empty text in `b`'],
    ],
    [
      'a lone surrogate',
      { ...base, messages: [turn('user', text('\ud83d'))] },
      ['a string contains a lone surrogate'],
    ],
    [
      'cache marks on thinking, and too many of them',
      {
        ...base,
        messages: [
          first,
          turn('assistant', { type: 'thinking', thinking: '', signature: 's', cache_control: {} }),
          turn('user', ...[1, 2, 3, 4].map(() => ({ ...text('x'), cache_control: {} }))),
        ],
      },
      ['messages.1: cache_control on thinking', 'cache_control: more than 4'],
    ],
  ])('reports %s', ([, body, problems]) => {
    expect(checkRequest(body)).toEqual(problems);
  });

  test('stops a request that no model could be sent, before it is sent', async () => {
    let asked = 0;
    const answer = () => {
      asked += 1;
      return sse('');
    };
    const messages = [hello, model(request('a')), user(textPart('never mind'))];

    expect(await failureOfAsking(ask(modelFrom(answer), requestOf(messages)))).toEqual({
      code: 'MODEL_REQUEST',
      message:
        'the messages cannot be sent to a model: messages.2: tool_use `a` in the previous message has no tool_result',
      hint: 'diagnose the session with hitl doctor; go back with `hitl rewind`, or fork it',
      detail: { problems: ['messages.2: tool_use `a` in the previous message has no tool_result'] },
    });
    expect(asked).toBe(0);
  });

  test('stops two tools that the provider could not tell apart', async () => {
    const name = 'files.read';
    const wire = bodyOf(requestOf([hello], { tools: [toolNamed(name)] })).tools[0].name as string;
    const asking = ask(
      modelFrom(() => sse('')),
      requestOf([hello], { tools: [toolNamed(name), toolNamed(wire)] }),
    );

    expect(await failureOfAsking(asking)).toMatchObject({ code: 'MODEL_REQUEST' });
  });

  test('accepts every request that is made from messages that are valid', () => {
    fc.assert(
      fc.property(histories(), fc.boolean(), (messages, promptCaching) => {
        expect(checkMessages(messages)).toEqual([]);
        bodyOf(requestOf(messages, { system: 's', tools: [toolNamed('pay')] }), { promptCaching });
      }),
      { numRuns: 300 },
    );
  });
});

/** Valid histories of odd parts: blank texts, foreign data, thinking with and without a signature, media. */
function histories(): fc.Arbitrary<Message[]> {
  const words = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(' ', '\n', 'x', '{}'));
  const plainPart = fc.oneof(
    words.map(textPart),
    fc.jsonValue({ maxDepth: 2 }).map((data): Part => ({ type: 'data', data: data as JsonValue })),
    fc.constantFrom<Part>(
      { type: 'media', url: 'data:image/png;base64,aGk=' },
      { type: 'reasoning', text: 'foreign' },
      { type: 'reasoning', text: 'mine', metadata: { anthropic: { type: 'thinking', signature: 's' } } },
    ),
  );
  const outputs = fc.array(fc.tuple(fc.jsonValue({ maxDepth: 2 }), fc.boolean()), { maxLength: 3 });
  const round = fc.tuple(
    fc.array(plainPart, { minLength: 1, maxLength: 3 }),
    outputs,
    fc.array(plainPart, { maxLength: 2 }),
  );
  return fc.array(round, { minLength: 1, maxLength: 5 }).map((rounds) =>
    rounds.flatMap(([said, results, after], index): Message[] => {
      const refs = results.map((_, position) => `r${index}-${position}`);
      if (refs.length === 0) return [user(textPart('go'), ...said)];
      return [
        user(textPart('go'), ...said),
        model(...after, ...refs.map((ref) => request(ref, { n: index }))),
        tool(
          ...results.map(([output, isError], position) => {
            return response(refs[position] ?? '', output as JsonValue, isError ? { isError } : {});
          }),
        ),
      ];
    }),
  );
}
