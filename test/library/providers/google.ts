import type { AiSdkModel } from '../../../src/library/ai-sdk.js';
import type { Loose, Wire } from './wire.js';
import { PICTURE, USED } from './wire.js';

const ENDS = { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY', tools: 'STOP' };

const content = (...parts: readonly object[]) => ({
  candidates: [{ index: 0, content: { role: 'model', parts } }],
});

const afterCalls = [
  {
    role: 'model',
    parts: [
      { text: 'hm', thought: true, thoughtSignature: 'sealed' },
      { text: 'I do' },
      {
        functionCall: { id: 'call_1', name: 'pay', args: { amount: 6 } },
        thoughtSignature: 'of call_1',
      },
      {
        functionCall: { id: 'call_2', name: 'square', args: { value: 3 } },
        thoughtSignature: 'of call_2',
      },
    ],
  },
  {
    role: 'user',
    parts: [
      {
        functionResponse: { id: 'call_1', name: 'pay', response: { name: 'pay', content: { paid: 6 } } },
      },
      { functionResponse: { id: 'call_2', name: 'square', response: { name: 'square', content: 9 } } },
    ],
  },
];

const image = { inlineData: { mimeType: 'image/png', data: PICTURE } };

const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };

/** Gemini, as Google serves it. */
export const google: Wire = {
  name: 'Google',
  packages: { v3: 'google-3', v4: '@ai-sdk/google' },
  make(exported, settings) {
    const { createGoogleGenerativeAI } = exported as {
      createGoogleGenerativeAI(given: object): (model: string) => AiSdkModel;
    };
    return createGoogleGenerativeAI(settings)('gemini-3-pro');
  },
  lines: ({ thought, words = [], calls = [], end }) => [
    ...(thought === undefined ? [] : [content({ text: thought, thought: true, thoughtSignature: 'sealed' })]),
    ...words.map((text) => content({ text })),
    ...calls.map(({ id, name, input }) =>
      content({
        functionCall: { id, name, args: JSON.parse(input) as unknown },
        thoughtSignature: `of ${id}`,
      }),
    ),
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: ENDS[end] }],
      usageMetadata: {
        promptTokenCount: USED.input,
        cachedContentTokenCount: USED.cached,
        candidatesTokenCount: USED.output,
        totalTokenCount: USED.input + USED.output,
      },
    },
  ],
  failure: (code, message) => ({ error: { code, message, status: 'FAILED' } }),
  said: ({ contents }: Loose) => contents as unknown[],
  afterCalls: { v3: afterCalls, v4: afterCalls },
  images: [
    { role: 'user', parts: [{ text: 'look' }, image] },
    {
      role: 'model',
      parts: [{ functionCall: { id: 'call_1', name: 'shoot', args: {} }, thoughtSignature: 'of call_1' }],
    },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            id: 'call_1',
            name: 'shoot',
            response: { name: 'shoot', content: 'the screen' },
            parts: [image],
          },
        },
      ],
    },
  ],
  settings: ({ generationConfig }: Loose) => generationConfig as unknown,
  wanted: {
    v3: { responseMimeType: 'application/json', responseSchema: schema },
    v4: {
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
      thinkingConfig: { thinkingLevel: 'low' },
    },
  },
};
