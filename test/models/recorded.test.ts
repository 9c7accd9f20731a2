import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonValue, Message, Resolution, SessionEvent } from '../../src/core/index.js';
import { toolRef, transcriptMessages } from '../../src/core/index.js';
import { createDemoModel } from '../../commands/demo-agent/demo-model.js';
import { recordedModel, scriptedModel } from '../../src/models/index.js';
import { readRecording, recordedFileModel } from '../../src/models/recorded-file.js';
import { readJournal } from '../../src/models/recorded-journal.js';
import type { ChannelStep } from '../../src/testing/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { bankTools } from '../../commands/demo-agent/bank/bank-tools.js';

import { sessionEvents } from '../helpers/arbitraries.js';
import type { Conversed } from './converse.js';
import { converse, replyOf, requestOf, text } from './converse.js';

const SAID = ['Transfer 200 to ABC123', 'What is my balance?'];
const EDIT: Resolution = { action: 'restart', input: { toAccount: 'ABC123', amount: 150 } };

function tools(startBalance?: number) {
  return bankTools({ clock: fakeClock(), ...(startBalance !== undefined && { startBalance }) });
}

/** A session with the demo model in which the person edits a transfer. */
async function recorded(): Promise<Conversed> {
  return converse({ said: SAID, model: createDemoModel, tools: tools(), answers: [EDIT] });
}

function journalText(events: readonly SessionEvent[]): string {
  return events.map((event, index) => `${JSON.stringify({ v: 1, seq: index + 1, event })}\n`).join('');
}

function flatText(events: readonly SessionEvent[]): string {
  return events
    .map((event, index) => `${JSON.stringify({ session: 's', seq: index + 1, ...event })}\n`)
    .join('');
}

function documentText({ state }: Conversed, more: Readonly<Record<string, unknown>> = {}): string {
  const messages = transcriptMessages(state);
  return JSON.stringify({ format: 'hitl-transcript', version: 1, messages, ...more }, null, 2);
}

async function replay(
  file: string,
  answers: readonly ChannelStep[] = [EDIT],
  said = SAID,
  startBalance?: number,
) {
  return converse({ said, model: () => recordedFileModel(file, 'r'), tools: tools(startBalance), answers });
}

function runEnd({ state }: Conversed): unknown {
  return state.ended;
}

function failed(message: string): unknown {
  return { type: 'failed', error: expect.objectContaining({ code: 'REPLAY_DIFFERS', message }) };
}

describe('a replay', () => {
  test.for<[string, (session: Conversed) => string]>([
    ['a journal', ({ journal }) => journalText(journal.events)],
    ['printed events', ({ journal }) => `${flatText(journal.events)}{"type":"text-delta","text":"x"}\n`],
    ['a transcript', (session) => documentText(session)],
  ])('of %s says and does the same, also what was edited', async ([, toText]) => {
    const session = await recorded();
    const again = await replay(toText(session));
    expect(again.replies).toEqual(session.replies);
    expect(again.calls).toEqual(session.calls);
    expect(again.calls[0]).toEqual(['transfer_money({"toAccount":"ABC123","amount":200})']);
  });

  test('fails on another user message, and names it', async () => {
    const again = await replay(
      journalText((await recorded()).journal.events),
      [],
      ['Transfer 201 to ABC123'],
    );
    expect(runEnd(again)).toEqual(
      failed(
        'request 1 differs from the recording: message 1 (user), part 1: text was "Transfer 200 to ABC123", is "Transfer 201 to ABC123"',
      ),
    );
  });

  test('fails on another edit, and names it', async () => {
    const input = { toAccount: 'ABC123', amount: 151 };
    const again = await replay(
      documentText(await recorded()),
      [{ action: 'restart', input }],
      SAID.slice(0, 1),
    );
    expect(runEnd(again)).toEqual(
      failed(
        'request 2 differs from the recording: message 2 (model), part 2: input of `transfer_money` was {"amount":150,"toAccount":"ABC123"}, is {"amount":151,"toAccount":"ABC123"}',
      ),
    );
  });

  test('fails on another result of a tool, and names it', async () => {
    const again = await replay(
      journalText((await recorded()).journal.events),
      [EDIT],
      SAID.slice(0, 1),
      2000,
    );
    expect(runEnd(again)).toEqual(
      failed(
        'request 2 differs from the recording: message 3 (tool), part 1: output of `transfer_money` was {"balance":850,"toAccount":"ABC123","transferred":150}, is {"balance":1850,"toAccount":"ABC123","transferred":150}',
      ),
    );
  });

  test('fails on a rejection in the place of a result', async () => {
    const file = journalText((await recorded()).journal.events);
    const again = await replay(file, [{ action: 'reject' }], SAID.slice(0, 1));
    expect(runEnd(again)).toEqual(
      failed(
        'request 2 differs from the recording: message 2 (model), part 2: input of `transfer_money` was {"amount":150,"toAccount":"ABC123"}, is {"amount":200,"toAccount":"ABC123"}',
      ),
    );
  });

  test('fails where the recording ends', async () => {
    const again = await replay(documentText(await recorded()), [EDIT], [...SAID, 'And now?']);
    expect(runEnd(again)).toEqual(
      failed('request 5 differs from the recording: the recording ends after 4 replies'),
    );
  });

  test('fails on other tools or another system prompt, where the recording names them', async () => {
    const agent = { system: 'Be kind', tools: ['get_balance', { name: 'pay' }] };
    const model = recordedFileModel(documentText(await recorded(), { agent }), 'r');
    const messages = [text('user', SAID[0]!)];
    const asked = (tools_: readonly string[], system?: string) =>
      replyOf(model, { ...requestOf(messages, tools_), ...(system !== undefined && { system }) });
    await expect(asked(['get_balance', 'pay'])).rejects.toThrow('the system prompt is different');
    await expect(asked(['get_balance', 'look'], 'Be kind')).rejects.toThrow(
      'the tools differ: `pay` is gone, `look` was added',
    );
    await expect(asked(['pay', 'get_balance'], 'Be kind')).resolves.toMatchObject({ end: 'tool-use' });
  });

  test('says whose replies it plays, where the recording says so', async () => {
    const session = await recorded();
    const agent = { model: 'demo', tools: [] };
    expect(recordedFileModel(documentText(session, { agent }), 'r').recordedFrom).toBe('demo');
    expect(recordedFileModel(journalText(session.journal.events), 'r').recordedFrom).toBe('test');
    expect(recordedFileModel(documentText(session), 'r')).not.toHaveProperty('recordedFrom');
  });

  test('gives the waiting call of a session that waits', async () => {
    const session = await converse({
      said: SAID.slice(0, 1),
      model: createDemoModel,
      tools: tools(),
      answers: ['leave-open'],
    });
    for (const file of [journalText(session.journal.events), documentText(session)]) {
      const reply = await replyOf(recordedFileModel(file, 'r'), {
        ...requestOf([text('user', SAID[0]!)], ['transfer_money', 'get_balance']),
      });
      expect(reply.content.at(-1)).toEqual({
        type: 'tool-request',
        ref: 'call-1-1',
        name: 'transfer_money',
        input: { toAccount: 'ABC123', amount: 200 },
      });
    }
  });

  test('goes past an empty reply, which leaves no message', async () => {
    const model = () => scriptedModel([{}, 'Then this']);
    const script = model();
    const session = await converse({ said: ['a', 'b'], model: () => script });
    const again = await converse({
      said: ['a', 'b'],
      model: () => recordedFileModel(journalText(session.journal.events), 'r'),
    });
    expect(session.replies).toEqual(['', 'Then this']);
    expect(again.replies).toEqual(['', 'Then this']);
  });

  test('answers after an imported history, which is no part of the recording', async () => {
    const events: readonly SessionEvent[] = [
      { type: 'history-imported', messages: [text('user', 'a'), text('model', 'b')] },
      { type: 'message-added', message: text('user', 'c') },
      { type: 'message-added', message: text('model', 'd') },
    ];
    const request = requestOf([text('user', 'a'), text('model', 'b'), text('user', 'c')]);
    const { content } = await replyOf(recordedFileModel(journalText(events), 'r'), request);
    expect(content).toEqual([{ type: 'text', text: 'd' }]);
  });

  test('answers every request of any session as it was answered', async () => {
    await fc.assert(
      fc.asyncProperty(sessionEvents(30), async (events) => {
        const recording = readJournal(journalText(events), 'r');
        const model = recordedModel({ replies: recording.replies });
        for (const { messages, reply } of recording.replies) {
          expect(await replyOf(model, { messages, tools: [] })).toEqual(reply);
        }
        const spoken = events.filter(
          (event) => event.type === 'message-added' && event.message.role === 'model',
        );
        expect(recording.replies).toHaveLength(spoken.length);
      }),
    );
  });

  test('keeps usage, end and what only the provider reads', async () => {
    const reply = {
      content: [
        { type: 'reasoning', text: 'hm', metadata: { signature: 's' } },
        { type: 'text', text: 'a' },
      ],
      end: 'length',
      usage: { inputTokens: 1, outputTokens: 2 },
    } as const;
    const { content, ...rest } = reply;
    const events: readonly SessionEvent[] = [
      { type: 'message-added', message: text('user', 'x') },
      { type: 'message-added', message: { role: 'model', content }, ...rest },
    ];
    expect(
      await replyOf(recordedFileModel(journalText(events), 'r'), requestOf([text('user', 'x')])),
    ).toEqual(reply);
  });
});

describe('the difference that a replay names', () => {
  const ref = toolRef('r');
  const result = (output: JsonValue, more: object = {}): Message => {
    return { role: 'tool', content: [{ type: 'tool-response', ref, name: 'look', output, ...more }] };
  };

  test.for<[string, Message, Message, string]>([
    ['role', text('user', 'a'), text('model', 'a'), 'message 1: role was user, is model'],
    [
      'more parts',
      text('user', 'a'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'data', data: 1 },
        ],
      },
      'message 1 (user), part 2: a data was added',
    ],
    [
      'fewer parts',
      text('user', 'a'),
      { role: 'user', content: [] },
      'message 1 (user), part 1: the text is missing',
    ],
    [
      'failure',
      result('x'),
      result('x', { isError: true }),
      'message 1 (tool), part 1: was output of `look` "x", is error of `look` "x"',
    ],
    [
      'content',
      result('x'),
      result('x', { content: [{ type: 'media', url: 'u' }] }),
      'message 1 (tool), part 1: output of `look` was "x", is ["x",["media",["u",null]]]',
    ],
    [
      'long text',
      text('user', 'a'.repeat(200)),
      text('user', 'b'),
      `message 1 (user), part 1: text was "${'a'.repeat(79)}… (202 characters), is "b"`,
    ],
  ])('%s', async ([, before, after, where]) => {
    const { content } = text('model', 'x');
    const messages = requestOf([before]).messages;
    const model = recordedModel({ replies: [{ messages, reply: { content, end: 'stop' } }] });
    if (after.role === 'model') {
      await expect(replyOf(model, requestOf([after]))).rejects.toThrow('the recording ends after 1 replies');
      return;
    }
    await expect(replyOf(model, requestOf([after]))).rejects.toMatchObject({
      code: 'REPLAY_DIFFERS',
      message: `request 1 differs from the recording: ${where}`,
    });
  });
});

describe('a recording', () => {
  test.for<[string, string, RegExp]>([
    ['an empty file', '', /^`r` is not a transcript/u],
    ['another document', '{"format":"other","messages":[]}', /^`r` is not a transcript: `format`: /u],
    [
      'a transcript that is not one',
      '{"format":"hitl-transcript","messages":[{"role":"dog","content":[]}]}',
      /`messages\.0\.role`/u,
    ],
    [
      'a transcript without replies',
      '{"format":"hitl-transcript","messages":[]}',
      /^`r` contains no model reply$/u,
    ],
    ['lines that are not JSON', '{"seq":1}\nhello\n', /^r:2: /u],
    [
      'events that do not fit',
      journalText([{ type: 'tool-settled', ref: toolRef('x'), outcome: { type: 'output', output: 1 } }]),
      /^r:1: event `tool-settled` is invalid/u,
    ],
    ['events that are none', '{"seq":1,"event":{"type":"message-added"}}', /^r:1: /u],
  ])('cannot be %s', ([, file, message]) => {
    expect(() => readRecording(file, 'r')).toThrow(
      expect.objectContaining({ code: 'BAD_TRANSCRIPT', message: expect.stringMatching(message) }),
    );
  });
});
