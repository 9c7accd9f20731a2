// What a server may send to a provider package: the package reads it, and what it makes of it is foreign.
import { afterEach, describe, expect, test, vi } from 'vitest';

import { isInstalled } from '../../../scripts/tools.mjs';
import { AppendList, textPart } from '../../../src/core/index.js';
import type { ModelReply } from '../../../src/core/index.js';
import { createModel } from '../../../src/models/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { anthropic } from './anthropic.js';
import { google } from './google.js';
import { openAiResponses } from './openai-responses.js';
import type { Call, Wire } from './wire.js';

const STREAM = { 'content-type': 'text/event-stream' };
const bytesOf = (text: string) => new TextEncoder().encode(text);
const eventOf = (line: object | string) =>
  `data: ${typeof line === 'string' ? line : JSON.stringify(line)}\n\n`;
const calling = (...calls: readonly Call[]) => ({ calls, end: 'tools' as const });

/** A body in these pieces, over and over where it has no end. */
function bodyOf(pieces: readonly Uint8Array[], more?: Uint8Array): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream(
    {
      pull(controller) {
        const piece = left.shift() ?? more;
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
}

const rows = [
  ['openai', openAiResponses, 'OPENAI_API_KEY'],
  ['anthropic', anthropic, 'ANTHROPIC_API_KEY'],
  ['google', google, 'GOOGLE_GENERATIVE_AI_API_KEY'],
] as const;
type Row = (typeof rows)[number];

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** Asks once for each answer, the last one again for as long as it is asked. */
async function asking([short, wire, variable]: Row, answer: (wire: Wire) => Response) {
  const { load } = await import('../../../tools/providers/index.mjs');
  let asked = 0;
  vi.stubEnv(variable, 'key-of-the-test');
  vi.stubGlobal('fetch', () => {
    asked += 1;
    return Promise.resolve(answer(wire));
  });
  const loadPackage = () => load(`@ai-sdk/${short}`);
  const clock = fakeClock({ auto: true });
  const model = await createModel(`ai-sdk:@ai-sdk/${short}/m1`, {
    clock,
    loadPackage,
    silenceMs: Infinity,
  });
  const messages = AppendList.of([{ role: 'user' as const, content: [textPart('go')] }]);
  let reply: ModelReply | undefined;
  try {
    for await (const event of model.generate({ messages, tools: [] }, new AbortController().signal))
      if (event.type === 'reply') reply = event.reply;
    return { asked, reply, problem: '' };
  } catch (thrown) {
    return { asked, reply, problem: thrown instanceof Error ? thrown.message : 'no error' };
  }
}

describe.for(rows)('what a server sends to the package of %s', { skip: !isInstalled() }, (row) => {
  const [, wire] = row;
  const ask = (answer: (wire: Wire) => Response) => asking(row, answer);
  const sent = (text: string) => () => new Response(text, { headers: STREAM });
  const reply = (calls: readonly Call[]) => (one: Wire) =>
    new Response(
      one
        .lines(calling(...calls))
        .map(eventOf)
        .join(''),
      { headers: STREAM },
    );

  test.for<[string, (wire: Wire) => Response]>([
    ['a page of HTML', sent('<html>Sign in to the network</html>')],
    ['nothing', sent('')],
    ['lines that are no JSON', sent('data: {"type":\n\ndata: nonsense\n\n')],
    [
      'bytes that are no text',
      () => new Response(bodyOf([new Uint8Array(4096).fill(0xff)]), { headers: STREAM }),
    ],
    ['JSON of another kind', sent('data: []\n\ndata: 7\n\ndata: null\n\ndata: {"type":{}}\n\n')],
  ])('is no reply where it is %s', async ([, answer]) => {
    const { asked, reply: whole, problem } = await ask(answer);
    expect([whole, problem]).toEqual([undefined, expect.stringMatching(/./u) as string]);
    expect(asked).toBeLessThanOrEqual(5);
  });

  test('is whole where a letter is cut between two pieces of it', async () => {
    const whole = bytesOf(
      wire
        .lines({ words: ['Grüße 東京 😀'], end: 'stop' })
        .map(eventOf)
        .join(''),
    );
    const pieces = Array.from({ length: whole.length / 5 + 1 }, (_, at) => whole.slice(at * 5, at * 5 + 5));
    const { reply: told } = await ask(() => new Response(bodyOf(pieces), { headers: STREAM }));
    expect(told?.content).toMatchObject([{ type: 'text', text: 'Grüße 東京 😀' }]);
  });

  test('is refused where two calls have one id, and not asked for again', async () => {
    const twice = { id: 'a', name: 'pay', input: '{}' };
    const { asked, reply: whole, problem } = await ask(reply([twice, twice]));
    expect([asked, whole]).toEqual([1, undefined]);
    expect(problem).toContain('two tool calls have the id `a`');
  });
});

test.skipIf(!isInstalled())(
  'a line without end that a server sends to a package is given up after 64 MB, and not asked for again',
  async () => {
    const endless = () => bodyOf([bytesOf('data: ')], new Uint8Array(1_000_000).fill(0x78));
    const { asked, problem } = await asking(rows[1], () => new Response(endless(), { headers: STREAM }));
    expect([asked, problem]).toEqual([1, 'anthropic.messages failed: the reply is too large']);
  },
);
