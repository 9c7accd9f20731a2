import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import * as z from 'zod';
import { describe, expect, test } from 'vitest';

import type { JsonValue, Message, Tool } from '../../../src/core/index.js';
import { toolRef } from '../../../src/core/index.js';
import { bankTools } from '../../../commands/demo-agent/bank/bank-tools.js';
import { createDemoModel } from '../../../commands/demo-agent/demo-model.js';
import { modelNamed } from '../../../commands/agent/model.js';
import { weatherTool } from '../../../commands/demo-agent/demo-tools.js';
import type { ChannelStep } from '../../../src/testing/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { defineTool, requireApproval } from '../../../src/tools/index.js';

import {
  askUserTool,
  builtinsIn,
  converse,
  eventsOf,
  replyOf,
  requestOf,
  text,
} from '../../models/converse.js';

const EVERY_TOOL = [
  'transfer_money',
  'get_balance',
  'ask_user',
  'get_weather',
  'run_command',
  'list_files',
  'read_file',
  'search_files',
  'write_file',
  'edit_file',
  'fetch_url',
  'finish',
];
const INTRODUCTION = 'I’m hitl’s built-in demo model. I follow a script; I’m not an AI model.';

/** The calls that the demo model wants first for a text. */
async function callsFor(said: string, tools = EVERY_TOOL) {
  const { content } = await replyOf(createDemoModel(), requestOf([text('user', said)], tools));
  return content.flatMap((part) => (part.type === 'tool-request' ? [[part.name, part.input]] : []));
}

/** What the demo model says first, without its introduction. */
async function saysFor(said: string, tools = EVERY_TOOL): Promise<string> {
  const { content } = await replyOf(createDemoModel(), requestOf([text('user', said)], tools));
  const words = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return words.replace(`${INTRODUCTION}\n\n`, '');
}

function bank(): readonly Tool[] {
  return bankTools({ clock: fakeClock() });
}

async function talk(
  said: string | readonly string[],
  tools: readonly Tool[],
  answers: readonly ChannelStep[] = [],
) {
  const turns = typeof said === 'string' ? [said] : said;
  return converse({ said: turns, model: createDemoModel, tools, answers });
}

/** A tool that answers with a value, or throws an error. */
function fakeTool(name: string, answer: JsonValue | Error): Tool {
  return defineTool({ name, description: name, input: z.looseObject({}), effect: 'none' }, () => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
}

describe('the demo model', () => {
  test('says what it is in the first reply of a session, and only there', async () => {
    const { replies } = await talk(['Transfer 5 to ABC123', 'What is my balance?'], bank());
    expect(replies).toEqual([
      `${INTRODUCTION}\n\nI will transfer 5 to ABC123.`,
      'Transferred 5 to ABC123. The balance is now 995.',
      'Let me look at the account.',
      'Your balance is 995.',
    ]);
  });

  test('streams its text word by word, and then the reply', async () => {
    const request = requestOf([text('model', 'Hello'), text('user', 'thanks')]);
    expect(await eventsOf(createDemoModel(), request)).toEqual([
      { type: 'text-delta', text: 'You ' },
      { type: 'text-delta', text: 'are ' },
      { type: 'text-delta', text: 'welcome.' },
      {
        type: 'reply',
        reply: {
          content: [{ type: 'text', text: 'You are welcome.' }],
          end: 'stop',
          usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
        },
      },
    ]);
  });

  test('waits after each word where it is told to', async () => {
    const clock = fakeClock({ auto: true });
    const before = clock.now();
    await replyOf(
      createDemoModel({ clock, wordMs: 15 }),
      requestOf([text('model', 'Hi'), text('user', 'thanks')]),
    );
    expect(clock.now() - before).toBe(45);
  });

  test('the program makes the demo model by its name, or by another one of the configuration', async () => {
    const clock = fakeClock({ auto: true });
    const request = requestOf([text('model', 'Hi'), text('user', 'thanks')]);
    for (const spec of ['demo', ' demo ', 'free']) {
      const before = clock.now();
      const model = await modelNamed(spec, { clock, aliases: { free: 'demo' } }, { wordMs: 15 });
      expect([model.id, (await replyOf(model, request)).end]).toEqual(['demo', 'stop']);
      expect(clock.now() - before).toBe(45);
    }
  });

  test('stops where the signal aborts', async () => {
    const stop = new AbortController();
    const stream = createDemoModel().generate(requestOf([text('user', 'hello')]), stop.signal);
    const read = async () => {
      for await (const event of stream) if (event.type === 'text-delta') stop.abort(new Error('stopped'));
    };
    await expect(read()).rejects.toThrow('stopped');
  });

  test('gives the same reply to the same request, whoever asks', async () => {
    const request = requestOf([text('user', 'Transfer 1 to A1 and 2 to B2')], EVERY_TOOL);
    expect(await replyOf(createDemoModel(), request)).toEqual(await replyOf(createDemoModel(), request));
  });

  test('makes refs that no call of the session has', async () => {
    const taken: Message = {
      role: 'model',
      content: [{ type: 'tool-request', ref: toolRef('call-2-1'), name: 'get_balance', input: {} }],
    };
    const request = requestOf([text('user', 'x'), taken, text('user', 'my balance')], EVERY_TOOL);
    const { content } = await replyOf(createDemoModel(), request);
    expect(content.flatMap((part) => (part.type === 'tool-request' ? [part.ref] : []))).toEqual([
      'call-2-1-2',
    ]);
  });
});

describe('what the demo model understands', () => {
  const transfer = (toAccount: string, amount: number) => ['transfer_money', { toAccount, amount }];

  test.for<[string, unknown[]]>([
    ['Transfer 200 to ABC123', [transfer('ABC123', 200)]],
    ['send $50 to bob', [transfer('bob', 50)]],
    ['pay 20 eur to X', [transfer('X', 20)]],
    ['Hi, could you please transfer €20.50 to DE-44.', [transfer('DE-44', 20.5)]],
    ['Pay 20 euros to Ann', [transfer('Ann', 20)]],
    ['send 1,000.50 to bob please', [transfer('bob', 1000.5)]],
    ['Send 5 dollars to "Zoë Müller"', [transfer('Zoë Müller', 5)]],
    ['transfer 0 to X', [transfer('X', 0)]],
    ['transfer -50 to X', [transfer('X', -50)]],
    ['Transfer 200 to ABC123 and 300 to DEF456', [transfer('ABC123', 200), transfer('DEF456', 300)]],
    [
      'transfer 10 to ann, 20 to bob and 30 to cy',
      [transfer('ann', 10), transfer('bob', 20), transfer('cy', 30)],
    ],
    ['Transfer 50 to ABC123 and tell me my balance', [transfer('ABC123', 50)]],
    ['Transfer 50 to bob please', [transfer('bob', 50)]],
    ["What's my balance?", [['get_balance', {}]]],
    ['how much money do I have', [['get_balance', {}]]],
    [
      'weather in Paris and New York today?',
      [
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'New York' }],
      ],
    ],
    ['run ls -la', [['run_command', { command: 'ls -la' }]]],
    ['please run the command `npm test`', [['run_command', { command: 'npm test' }]]],
    ['$ echo hi', [['run_command', { command: 'echo hi' }]]],
    ['run echo transfer 5 to X', [['run_command', { command: 'echo transfer 5 to X' }]]],
    ['list files', [['list_files', {}]]],
    ['list the files in test', [['list_files', { path: 'test' }]]],
    ['ls src/models', [['list_files', { path: 'src/models' }]]],
    ['read README.md', [['read_file', { path: 'README.md' }]]],
    ['read the file notes', [['read_file', { path: 'notes' }]]],
    ['cat "my file.txt"', [['read_file', { path: 'my file.txt' }]]],
    [
      'write "hello world" to the file notes.txt',
      [['write_file', { path: 'notes.txt', content: 'hello world\n' }]],
    ],
    ['write hi to notes.txt', [['write_file', { path: 'notes.txt', content: 'hi\n' }]]],
    [
      'replace "a b" with "c" in notes.txt',
      [['edit_file', { path: 'notes.txt', oldText: 'a b', newText: 'c' }]],
    ],
    ['search for TODO in src', [['search_files', { pattern: 'TODO', path: 'src' }]]],
    ['find foo', [['search_files', { pattern: 'foo' }]]],
    ['fetch https://example.com/a?b=1.', [['fetch_url', { url: 'https://example.com/a?b=1' }]]],
    ['finish with 42', [['finish', { result: '42' }]]],
    ['think step by step about life', [['get_balance', {}]]],
  ])('%s', async ([said, calls]) => {
    expect(await callsFor(said)).toEqual(calls);
  });

  test.for([
    "don't transfer 200 to ABC123",
    'never send 200 to ABC123',
    'How do I transfer 200 to ABC123?',
    'cancel the transfer of 200 to ABC123',
    'Did you transfer 200 to ABC123?',
    'send an email to bob',
    'send 3 emails to bob',
    'hello',
    'tell me a joke',
    '',
  ])('calls nothing for: %j', async (said) => {
    expect(await callsFor(said)).toEqual([]);
  });

  test.for([
    'transfer 1.000,50 to X',
    'transfer 20% to X',
    'transfer 5k to X',
    'send money to X',
    'transfer 1.2.3 to X',
    'pay Ann 20 euros',
    'transfer 50 to A1, B2 and C3',
  ])('transfers nothing on an order that it does not understand whole: %s', async (said) => {
    expect(await callsFor(said)).toEqual([]);
    expect(await saysFor(said)).toBe(
      'I did not transfer anything: I only follow simple orders, and I cannot undo a transfer. For example: Transfer 200 to ABC123',
    );
  });

  test('says honestly that it does not understand, and what can be tried with the tools that are offered', async () => {
    expect(await saysFor('tell me a joke', ['get_balance'])).toBe(
      [
        'I only know a few phrases. Try one of these:',
        '- What is my balance?',
        '- Think step by step',
        'For a real model, set ANTHROPIC_API_KEY or pass --model.',
      ].join('\n'),
    );
  });

  test.for<[string, string]>([
    ['Transfer 200 to ABC123', 'transfer_money'],
    ['my balance', 'get_balance'],
    ['weather in Rome', 'get_weather'],
    ['run ls', 'run_command'],
    ['read a.txt', 'read_file'],
  ])('says which tool is missing: %s', async ([said, tool]) => {
    expect(await saysFor(said, ['other'])).toBe(
      `For that I need the tool \`${tool}\`, which is not available in this session.`,
    );
  });
});

describe('a transfer with the demo model', () => {
  test('that is approved is reported with what the bank did', async () => {
    const { replies } = await talk('Transfer 200 to ABC123', bank(), [{ action: 'restart' }]);
    expect(replies[1]).toBe('Transferred 200 to ABC123. The balance is now 800.');
  });

  test('that is edited is reported with the amount that moved', async () => {
    const input = { toAccount: 'ABC123', amount: 150 };
    const { replies } = await talk('Transfer 200 to ABC123', bank(), [{ action: 'restart', input }]);
    expect(replies[1]).toBe(
      'Transferred 150 to ABC123. The balance is now 850. It was edited: you asked for 200 to ABC123.',
    );
  });

  test('that is too large is asked about until it fits', async () => {
    const input = { toAccount: 'ABC123', amount: 90 };
    const { replies } = await talk('Transfer 5000 to ABC123', bank(), [
      { action: 'restart', input: { ...input, amount: 4000 } },
      { action: 'restart', input },
    ]);
    expect(replies[1]).toBe(
      'Transferred 90 to ABC123. The balance is now 910. It was edited: you asked for 5000 to ABC123.',
    );
  });

  test('that is rejected is reported with the reason', async () => {
    const { replies } = await talk('Transfer 200 to ABC123', bank(), [
      { action: 'reject', reason: 'too much' },
    ]);
    expect(replies[1]).toBe(
      'You rejected the transfer of 200 to ABC123, so it did not happen. The reason you gave: too much',
    );
  });

  test('that is cancelled is reported as cancelled', async () => {
    const { replies } = await talk('Transfer 200 to ABC123', bank(), [{ action: 'cancel' }]);
    expect(replies[1]).toBe('You cancelled the transfer of 200 to ABC123, so it did not happen.');
  });

  test('that is answered in the place of the bank is reported with that answer', async () => {
    const output = { transferred: 0, toAccount: 'ABC123', balance: 7 };
    const { replies } = await talk('Transfer 200 to ABC123', bank(), [{ action: 'respond', output }]);
    expect(replies[1]).toBe('Transferred 0 to ABC123. The balance is now 7.');
  });

  test('that the bank refuses is reported with its words', async () => {
    const { replies } = await talk('Transfer -5 to ABC123', bank());
    expect(replies[1]).toMatch(/^I could not transfer -5 to ABC123: .*amount/su);
  });

  test('that fails is not reported as made', async () => {
    const tool = fakeTool('transfer_money', { status: 'declined' });
    const { replies } = await talk('Transfer 5 to ABC123', [tool]);
    expect(replies[1]).toBe('The result of the transfer of 5 to ABC123 is: {"status":"declined"}.');
  });

  test('of several orders makes parallel calls and reports each', async () => {
    const { calls, replies } = await talk('Transfer 200 to ABC123 and 300 to DEF456', bank(), [
      { for: { input: { toAccount: 'DEF456', amount: 300 } }, answer: { action: 'reject' } },
      { action: 'restart' },
    ]);
    expect(calls[0]).toHaveLength(2);
    expect(replies[1]).toBe(
      [
        'Transferred 200 to ABC123. The balance is now 800.',
        'You rejected the transfer of 300 to DEF456, so it did not happen.',
        '1 of 2 transfers were made.',
      ].join('\n'),
    );
  });

  test('looks at the balance only after the money moved', async () => {
    const { calls, replies } = await talk('Transfer 50 to ABC123 and tell me my balance', bank());
    expect(calls).toEqual([['transfer_money({"toAccount":"ABC123","amount":50})'], ['get_balance({})'], []]);
    expect(replies[2]).toBe('Transferred 50 to ABC123. The balance is now 950.\nYour balance is 950.');
  });

  test('says that the look at the balance failed', async () => {
    const tools = [
      fakeTool('transfer_money', { transferred: 5 }),
      fakeTool('get_balance', new Error('bank closed')),
    ];
    const { replies } = await talk('Transfer 5 to A1 and tell me the balance', tools);
    expect(replies[2]).toBe('Transferred 5 to A1.\nI could not look up the balance: bank closed');
  });

  test('says that it cannot look at the balance where it cannot', async () => {
    const tool = fakeTool('transfer_money', { transferred: 5 });
    const { replies } = await talk('Transfer 5 to A1 and tell me the balance', [tool]);
    expect(replies[1]).toBe(
      'Transferred 5 to A1.\nFor that I need the tool `get_balance`, which is not available in this session.',
    );
  });

  test('that was started and has no result yet is asked for again', async () => {
    const request: Message = {
      role: 'model',
      content: [{ type: 'tool-request', ref: toolRef('c'), name: 'transfer_money', input: {} }],
    };
    const asked = requestOf([text('user', 'Transfer 5 to A1'), request], EVERY_TOOL);
    expect(await replyOf(createDemoModel(), asked)).toMatchObject({ end: 'tool-use' });
  });

  test('whose outcome nobody knows is told as that', async () => {
    const request: Message = {
      role: 'model',
      content: [
        {
          type: 'tool-request',
          ref: toolRef('c'),
          name: 'transfer_money',
          input: { toAccount: 'A', amount: 5 },
        },
      ],
    };
    const output = 'outcome unknown after a crash; the user said: cancel';
    const answer: Message = {
      role: 'tool',
      content: [{ type: 'tool-response', ref: toolRef('c'), name: 'transfer_money', output, isError: true }],
    };
    const asked = requestOf([text('user', 'Transfer 5 to A'), request, answer], EVERY_TOOL);
    const reply = await replyOf(createDemoModel(), asked);
    expect(reply.content).toEqual([
      {
        type: 'text',
        text: `It is unknown whether the transfer of 5 to A happened (${output}). Check before you ask for it again.`,
      },
    ]);
  });
});

describe('a barbecue with the demo model', () => {
  const answers: readonly ChannelStep[] = [
    { action: 'respond', output: 'more than 10' },
    { action: 'respond', output: ['fish', 'vegetables'] },
    { action: 'respond', output: 'at noon' },
  ];

  test('is planned from the answers', async () => {
    const { calls, replies } = await talk('Plan a barbecue', [askUserTool()], answers);
    expect(calls.map((round) => round.length)).toEqual([1, 1, 1, 0]);
    expect(replies.at(-1)).toBe(
      [
        'Here is a plan for a barbecue at noon, with more than 10 people:',
        '1. Shopping: fish, vegetables, at least 30 pieces in total, bread and drinks for more than 10.',
        '2. Two hours before: marinate the food and chill the drinks.',
        '3. 45 minutes before: light the coals, away from anything that burns.',
        '4. The barbecue starts at noon: grill fish, vegetables, starting with what takes longest.',
        '5. Afterwards: pour water on the ashes.',
      ].join('\n'),
    );
  });

  test('takes an answer that was not offered', async () => {
    const odd: readonly ChannelStep[] = [
      { action: 'respond', output: 'just us' },
      { action: 'respond', output: { choices: ['tofu'] } },
      { action: 'respond', output: 'soon' },
    ];
    const tool = fakeTool('ask_user', '');
    const asks = requireApproval(tool);
    const { replies } = await talk('plan a bbq', [asks], odd);
    expect(replies.at(-1)).toContain('Shopping: tofu, about 3 pieces for each guest, bread and drinks.');
    expect(replies.at(-1)).toContain('a barbecue soon, with just us people');
  });

  test('is not planned where a question is cancelled', async () => {
    const { replies } = await talk('plan a BBQ', [askUserTool()], [{ action: 'cancel' }]);
    expect(replies.at(-1)).toBe(
      'A question was not answered (cancelled by the user; it did not run), so I did not make a plan. Ask again any time.',
    );
  });

  test('is guessed, and said so, where it cannot ask', async () => {
    expect(await saysFor('plan a bbq', [])).toMatch(
      /^I cannot ask you because the tool `ask_user` is not available/u,
    );
  });
});

describe('other work with the demo model', () => {
  test('tries the weather once more where it failed', async () => {
    const { calls, replies } = await talk('What is the weather in Lisbon?', [weatherTool()]);
    expect(calls).toEqual([['get_weather({"city":"Lisbon"})'], ['get_weather({"city":"Lisbon"})'], []]);
    expect(replies[2]).toBe(
      'The weather in Lisbon: sunny, 21 °C. (The first try failed: the weather service did not answer; try again. The second one worked.)',
    );
  });

  test('gives up on the weather after two failures', async () => {
    const { calls, replies } = await talk('weather in Rome', [
      fakeTool('get_weather', new Error('no signal')),
    ]);
    expect(calls).toHaveLength(3);
    expect(replies[2]).toBe('I could not look up the weather for Rome: no signal');
  });

  test('does not ask again for weather that a person refused', async () => {
    const tool = requireApproval(weatherTool());
    const { calls, replies } = await talk('weather in Rome', [tool], [{ action: 'reject' }]);
    expect(calls).toHaveLength(2);
    expect(replies[1]).toBe('You rejected the weather lookup for Rome, so it did not happen.');
  });

  test('retries only the city that failed', async () => {
    const { calls } = await talk('weather in Rome and Oslo', [weatherTool()]);
    expect(calls).toEqual([
      ['get_weather({"city":"Rome"})', 'get_weather({"city":"Oslo"})'],
      ['get_weather({"city":"Rome"})'],
      [],
    ]);
  });

  test('tells other weather in the words of the tool', async () => {
    const { replies } = await talk('weather in Rome', [fakeTool('get_weather', { city: 'Roma', wind: 3 })]);
    expect(replies[1]).toBe('The weather in Roma: wind 3.');
  });

  test('knows no weather without a city', async () => {
    expect(await saysFor('weather', [])).toBe('Which city? For example: What is the weather in Lisbon?');
  });

  test('tells the balance in the words of the tool', async () => {
    expect((await talk('my balance', [fakeTool('get_balance', 12)])).replies[1]).toBe('Your balance is 12.');
    const failing = fakeTool('get_balance', new Error('bank closed'));
    expect((await talk('my balance', [failing])).replies[1]).toBe(
      'I could not look up the balance: bank closed',
    );
  });

  test('has no tool to take a step with', async () => {
    expect(await saysFor('think step by step', [])).toBe(
      'No tools for these steps are available in this session.',
    );
  });

  test('ends the run with a result', async () => {
    const finish = builtinsIn(tmpdir()).filter(({ name }) => name === 'finish');
    const { state } = await talk('finish', finish);
    expect(state.ended).toEqual({ type: 'finished', by: 'finish', output: 'done' });
  });

  test('answers a request without a user message', async () => {
    const { content } = await replyOf(createDemoModel(), requestOf([], ['get_balance']));
    expect(content).toEqual([
      {
        type: 'text',
        text: `${INTRODUCTION}\n\nTry one of these:\n- What is my balance?\n- Think step by step\nFor a real model, set ANTHROPIC_API_KEY or pass --model.`,
      },
    ]);
  });

  test('takes three steps one after the other, and tells what each gave', async () => {
    const { calls, replies } = await talk('Think step by step', bank());
    expect(calls).toEqual([['get_balance({})'], ['get_balance({})'], ['get_balance({})'], []]);
    expect(replies[3]).toBe(
      [
        'I can’t really think, but I ran these steps:',
        '1. `get_balance`: balance 1000',
        '2. `get_balance`: balance 1000',
        '3. `get_balance`: balance 1000',
      ].join('\n'),
    );
  });

  test('stops taking steps where one fails', async () => {
    const { replies } = await talk('Think step by step', [fakeTool('get_balance', new Error('bank closed'))]);
    expect(replies[1]).toBe('I could not do step 1 (`get_balance`): bank closed');
  });

  test.for<[said: string, tool: string, output: JsonValue, report: string]>([
    [
      'run ls',
      'run_command',
      { exitCode: 0, stdout: 'a\nb\n', stderr: '' },
      '`ls` ended with status 0 and printed:\n```\na\nb\n```',
    ],
    [
      'run true',
      'run_command',
      { exitCode: 0, stdout: '', stderr: '' },
      '`true` ended with status 0 and printed nothing.',
    ],
    ['run ls', 'run_command', 'a', '`ls` gave:\n```\na\n```'],
    [
      'list files',
      'list_files',
      {
        entries: [
          { path: 'a', type: 'folder' },
          { path: 'b', type: 'file' },
        ],
      },
      'In the working folder:\n```\na/\nb\n```',
    ],
    [
      'run x',
      'run_command',
      { exitCode: null, signal: 'SIGTERM', output: '', notes: ['too long'] },
      '`x` was ended by SIGTERM (too long) and printed nothing.',
    ],
    ['run x', 'run_command', { ok: 1 }, '`x` gave:\n```\n{\n  "ok": 1\n}\n```'],
    ['read a.txt', 'read_file', { content: '' }, '`a.txt` is empty.'],
    [
      'fetch http://a.example',
      'fetch_url',
      { status: 301, redirectedTo: 'http://b.example', note: 'another host' },
      'http://a.example leads to http://b.example: another host',
    ],
    ['ls src', 'list_files', { entries: ['a'], more: true }, 'In src:\n```\na\n… and more\n```'],
    ['fetch https://a.example', 'fetch_url', 'hi', 'https://a.example answered:\n```\nhi\n```'],
    ['find x', 'search_files', { total: 0 }, 'Found for `x`:\n```\n{\n  "total": 0\n}\n```'],
    ['find x', 'search_files', 'x here', 'Found for `x`:\n```\nx here\n```'],
    ['finish with 1', 'finish', 1, 'Finished.'],
    [
      'fetch https://a.example',
      'fetch_url',
      { redirectedTo: 'https://b.example' },
      'https://a.example leads to https://b.example: not followed',
    ],
    ['ls src', 'list_files', ['x.ts'], 'In src:\n```\nx.ts\n```'],
    ['ls src', 'list_files', [], 'In src:\n```\n(nothing)\n```'],
    ['read a.txt', 'read_file', { path: 'a.txt', content: 'hi' }, '`a.txt` says:\n```\nhi\n```'],
    ['read a.md', 'read_file', '```', '`a.md` says:\n````\n```\n````'],
    ['write x to a.txt', 'write_file', { path: 'a.txt', bytes: 2 }, 'Wrote `a.txt` (2 bytes).'],
    ['replace a with b in c.txt', 'edit_file', {}, 'Changed `c.txt`.'],
    [
      'find x',
      'search_files',
      { matches: [{ path: 'a', line: 3, text: 'x = 1' }] },
      'Found for `x`:\n```\na:3: x = 1\n```',
    ],
    [
      'fetch https://a.example',
      'fetch_url',
      { status: 200, body: 'hi' },
      'https://a.example answered with status 200:\n```\nhi\n```',
    ],
  ])('reports: %s, %s, %j', async ([said, tool, output, report]) => {
    const { replies } = await talk(said, [fakeTool(tool, output)]);
    expect(replies[1]).toBe(report);
  });

  test.for([
    ['read a.txt', 'read_file', 'read `a.txt`', 'reading `a.txt`'],
    ['replace a with b in c.txt', 'edit_file', 'change `c.txt`', 'changing `c.txt`'],
    ['run x', 'run_command', 'run `x`', 'the command `x`'],
  ] as const)('says of %s that it failed, or that a person refused it', async ([said, tool, act, what]) => {
    const failed = await talk(said, [fakeTool(tool, new Error('no'))]);
    expect(failed.replies[1]).toBe(`I could not ${act}: no`);
    const refused = await talk(said, [requireApproval(fakeTool(tool, 1))], [{ action: 'reject' }]);
    expect(refused.replies[1]).toBe(`You rejected ${what}, so it did not happen.`);
  });

  test('works with the tools of the product', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'hitl-demo-'));
    const yes: ChannelStep = { action: 'restart' };
    const said = [
      'write "hello" to notes.txt',
      'replace "hello" with "goodbye" in notes.txt',
      'list files',
      'read notes.txt',
      'search for good',
      'run cat notes.txt',
      'run exit 3',
    ];
    const { replies } = await talk(said, builtinsIn(folder), [yes, yes, yes, yes]);
    await rm(folder, { recursive: true });
    expect(replies.filter((_reply, index) => index % 2 === 1)).toEqual([
      'Wrote `notes.txt` (6 bytes).',
      'Changed `notes.txt`.',
      'In the working folder:\n```\nnotes.txt\n```',
      '`notes.txt` says:\n```\ngoodbye\n```',
      'Found for `good`:\n```\nnotes.txt:1: goodbye\n```',
      '`cat notes.txt` ended with status 0 and printed:\n```\ngoodbye\n```',
      '`exit 3` ended with status 3 and printed nothing.',
    ]);
  });

  test('says how much of a long output it hides', async () => {
    const output = {
      exitCode: 0,
      stdout: Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n'),
      stderr: '',
    };
    const { replies } = await talk('run seq', [fakeTool('run_command', output)]);
    expect(replies[1]).toContain('… and 20 more lines\n```');
  });
});

test('the demo model acts on nothing that is pasted', async () => {
  const said = `transfer 5 to X ${'and more '.repeat(300)}`;
  expect(await saysFor(said)).toBe('That is too long for me: I read up to 2000 characters.');
});

test.for<[string, string]>([
  ['write', 'write a to '.repeat(150)],
  ['verbs', 'send move pay '.repeat(120)],
  ['numbers', `transfer ${'1 '.repeat(900)}`],
  ['find', `find ${'a in '.repeat(300)}`],
])('the demo model reads text that was made to be slow: %s', { timeout: 5000 }, async ([, said]) => {
  expect(await saysFor(said)).not.toBe('');
});
