import type { AiSdkModel } from '../../../src/library/ai-sdk.js';
import type { Loose, Played, Wire } from './wire.js';
import { PICTURE, USED } from './wire.js';

const usage = {
  input_tokens: USED.input,
  input_tokens_details: { cached_tokens: USED.cached },
  output_tokens: USED.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: USED.input + USED.output,
};

function items({ thought, words = [], calls = [] }: Played): readonly (readonly object[])[] {
  const thinking = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
  const said = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
  return [
    ...(thought === undefined
      ? []
      : [
          [
            { type: 'response.output_item.added', item: thinking },
            { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', summary_index: 0 },
            {
              type: 'response.reasoning_summary_text.delta',
              item_id: 'rs_1',
              summary_index: 0,
              delta: thought,
            },
            { type: 'response.reasoning_summary_part.done', item_id: 'rs_1', summary_index: 0 },
            {
              type: 'response.output_item.done',
              item: { ...thinking, summary: [{ type: 'summary_text', text: thought }] },
            },
          ],
        ]),
    ...(words.length === 0
      ? []
      : [
          [
            { type: 'response.output_item.added', item: said },
            ...words.map((delta) => ({ type: 'response.output_text.delta', item_id: 'msg_1', delta })),
            { type: 'response.output_item.done', item: said },
          ],
        ]),
    ...calls.map(({ id, name, input }) => {
      const call = { type: 'function_call', id: `fc_${id}`, call_id: id, name };
      return [
        { type: 'response.output_item.added', item: { ...call, arguments: '' } },
        { type: 'response.function_call_arguments.delta', item_id: call.id, delta: input },
        { type: 'response.output_item.done', item: { ...call, arguments: input, status: 'completed' } },
      ];
    }),
  ];
}

function ended(end: Played['end']): object {
  const response = { id: 'resp_1', usage };
  if (end === 'stop' || end === 'tools') return { type: 'response.completed', response };
  const reason = end === 'length' ? 'max_output_tokens' : 'content_filter';
  return { type: 'response.incomplete', response: { ...response, incomplete_details: { reason } } };
}

const afterCalls = (words: object): readonly unknown[] => [
  {
    type: 'reasoning',
    id: 'rs_1',
    encrypted_content: 'sealed',
    summary: [{ type: 'summary_text', text: 'hm' }],
  },
  { role: 'assistant', ...words },
  { type: 'function_call', call_id: 'call_1', name: 'pay', arguments: '{"amount":6}' },
  { type: 'function_call', call_id: 'call_2', name: 'square', arguments: '{"value":3}' },
  { type: 'function_call_output', call_id: 'call_1', output: '{"paid":6}' },
  { type: 'function_call_output', call_id: 'call_2', output: '9' },
];

const image = { type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` };

const kept = {
  text: {
    format: {
      type: 'json_schema',
      name: 'response',
      strict: true,
      schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    },
  },
  store: false,
  include: ['reasoning.encrypted_content'],
};

/** The Responses API of OpenAI, which its package takes by itself. */
export const openAiResponses: Wire = {
  name: 'OpenAI, responses',
  packages: { v3: 'openai-3', v4: '@ai-sdk/openai' },
  make(exported, settings) {
    const { createOpenAI } = exported as { createOpenAI(given: object): (model: string) => AiSdkModel };
    return createOpenAI(settings)('gpt-5');
  },
  lines: (reply) => [
    { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'gpt-5' } },
    ...items(reply).flatMap((events, output_index) => events.map((event) => ({ ...event, output_index }))),
    ended(reply.end),
  ],
  failure: (_status, message) => ({ error: { message, type: 'server_error', param: null, code: null } }),
  said: ({ input }: Loose) =>
    (input as { role?: string }[]).filter(({ role }) => role !== 'system' && role !== 'developer'),
  // Version 3 names its words and 4 does not; neither is sent the name alone, which a month later nobody knows.
  afterCalls: {
    v3: afterCalls({ content: [{ type: 'output_text', text: 'I do' }], id: 'msg_1' }),
    v4: afterCalls({ content: 'I do' }),
  },
  images: [
    { role: 'user', content: [{ type: 'input_text', text: 'look' }, image] },
    { type: 'function_call', call_id: 'call_1', name: 'shoot', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [{ type: 'input_text', text: 'the screen' }, image],
    },
  ],
  settings: ({ text, reasoning, store, include }: Loose) => ({ text, reasoning, store, include }),
  wanted: { v3: kept, v4: { ...kept, reasoning: { effort: 'low', summary: 'detailed' } } },
};
