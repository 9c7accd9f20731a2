import { describe, expect, test } from 'vitest';

import type { Message, ModelReply, ToolRequestPart } from '../../../src/core/index.js';
import { requestOf, replyOf, text } from '../converse.js';
import { greeting, PlayedAgent } from './played-agent.js';

const TOOLS = ['read_file', 'write_file', 'run_command'];
const OPTIONS = [
  { optionId: 'b', name: 'Once', kind: 'allow_once' },
  { optionId: 'c', name: 'No', kind: 'reject_once' },
];
const PERMISSION = { toolCall: { toolCallId: 't1', title: 'Run it', kind: 'execute' }, options: OPTIONS };

function requestsIn({ content }: ModelReply): readonly ToolRequestPart[] {
  return content.filter((part) => part.type === 'tool-request');
}

/** A history with the results of a reply. */
function after(reply: ModelReply, outputs: readonly unknown[], isError = false): readonly Message[] {
  const results = requestsIn(reply).map(({ ref, name }, at) => {
    return {
      type: 'tool-response',
      ref,
      name,
      output: outputs[at] as string,
      ...(isError && { isError }),
    } as const;
  });
  return [text('user', 'go'), { role: 'model', content: reply.content }, { role: 'tool', content: results }];
}

const prompts = ({ heard }: PlayedAgent): readonly unknown[] =>
  heard.flatMap(({ method, params }) =>
    method === 'session/prompt'
      ? (params as { prompt: readonly { text: string }[] }).prompt.map((block) => block.text)
      : [],
  );
const answerTo = ({ heard }: PlayedAgent, wanted: unknown): unknown => {
  const { result, error } = heard.find(({ id, method }) => id === wanted && method === undefined) ?? {};
  return error ?? result;
};

describe('a turn of an agent', () => {
  test('is a reply, with what it asks together as the requests of it, and goes on with their results', async () => {
    let prompt: unknown;
    const agent = greeting((played, { id, method }) => {
      if (method === 'session/prompt') {
        prompt = id;
        played.say('I read ');
        played.say('two files.');
        played.ask('r1', 'fs/read_text_file', { path: '/projects/a' });
        played.ask('r2', 'fs/read_text_file', { path: '/projects/b' });
      } else if (id === 'r2') {
        played.say('Done.');
        played.send({ id: prompt, result: { stopReason: 'end_turn' } });
      }
    });
    await using model = agent.model();
    const first = await replyOf(model, requestOf([text('user', 'go')], TOOLS));
    const input = (path: string) => ({ path, maxLines: 100_000 });
    expect([
      first.end,
      first.content[0],
      requestsIn(first).map(({ name, input: given }) => [name, given]),
    ]).toEqual([
      'tool-use',
      { type: 'text', text: 'I read two files.' },
      [
        ['read_file', input('/projects/a')],
        ['read_file', input('/projects/b')],
      ],
    ]);
    const read = { toLine: 1, totalLines: 1 };
    const last = await replyOf(
      model,
      requestOf(
        after(first, [
          { content: 'A', ...read },
          { content: 'B', ...read },
        ]),
        TOOLS,
      ),
    );
    expect([last, answerTo(agent, 'r1'), answerTo(agent, 'r2'), agent.starts]).toEqual([
      {
        content: [{ type: 'text', text: 'Done.', metadata: { acp: { agent: 'gemini', session: 'one' } } }],
        end: 'stop',
      },
      { content: 'A' },
      { content: 'B' },
      1,
    ]);
  });

  test('hears the words of a rejection in the next prompt, as part of the same reply', async () => {
    const prompted: unknown[] = [];
    const agent = greeting((played, { id, method }) => {
      if (method === 'session/prompt') {
        prompted.push(id);
        if (prompted.length === 1) {
          played.ask('p', 'session/request_permission', PERMISSION);
          return;
        }
        played.say('With pnpm, then.');
      }
      if (method !== 'session/cancel')
        played.send({ id: prompted.at(-1), result: { stopReason: 'end_turn' } });
    });
    await using model = agent.model();
    const first = await replyOf(model, requestOf([text('user', 'go')], TOOLS));
    const rejected = after(first, ['the user rejected this call; it did not run: use pnpm'], true);
    const last = await replyOf(model, requestOf(rejected, TOOLS));
    expect([answerTo(agent, 'p'), prompts(agent), last.content[0]]).toMatchObject([
      { outcome: { outcome: 'selected', optionId: 'c' } },
      ['go', 'About your request "Run it": the user rejected this call; it did not run: use pnpm'],
      { type: 'text', text: 'With pnpm, then.' },
    ]);
  });

  test('answers at once what is of another session, or of no turn', async () => {
    const agent = greeting((played, { id, method }) => {
      if (method !== 'session/prompt') return;
      played.ask('x', 'fs/read_text_file', { path: '/projects/a', sessionId: 'two' });
      played.ask('y', 'terminal/output', { terminalId: 'hitl-1' });
      played.say('not mine', 'two');
      played.say('ok');
      played.send({ id, result: { stopReason: 'end_turn' } });
    });
    await using model = agent.model();
    const reply = await replyOf(model, requestOf([text('user', 'go')], TOOLS));
    expect([reply.content[0], answerTo(agent, 'x'), answerTo(agent, 'y')]).toMatchObject([
      { text: 'ok' },
      { message: 'it belongs to a session that is not open' },
      { code: -32_002 },
    ]);
  });

  test('ends with an error where the agent dies, is silent, or speaks another version', async () => {
    const request = requestOf([text('user', 'go')], TOOLS);
    const dying = greeting((played, { method }) => {
      if (method === 'session/prompt') played.die();
    });
    await expect(replyOf(dying.model(), request)).rejects.toThrow(
      'the agent `gemini` ended: exit 1: no more',
    );
    const silent = greeting(() => undefined);
    await expect(replyOf(silent.model(20), request)).rejects.toThrow('has been silent for 0 minutes');
    const newer = new PlayedAgent((played, { id }) => {
      played.send({ id, result: { protocolVersion: 2 } });
    });
    await expect(replyOf(newer.model(), request)).rejects.toThrow(
      'the agent `gemini` uses protocol version 2, but hitl uses version 1',
    );
  });
});

describe('an agent that died while a permission was open', () => {
  const asking = (loads = true) =>
    greeting(
      (played, { id, method, result }) => {
        if (method === 'session/prompt')
          played.ask(`p-${String(id)}`, 'session/request_permission', PERMISSION);
        if (result !== undefined) played.say('ok');
      },
      { loads },
    );

  test('loads its session, and gets the answer once when it asks for the same again', async () => {
    const first = await replyOf(asking().model(), requestOf([text('user', 'go')], TOOLS));
    const agent = asking();
    await using model = agent.model();
    const history = after(first, [{ option: 'b' }]);
    const again = await replyOf(model, { ...requestOf(history, TOOLS), attempt: 1 });
    const [request] = requestsIn(again);
    expect([
      agent.heard.map(({ method }) => method),
      request?.input,
      again.content.at(-1)?.metadata,
    ]).toMatchObject([
      ['initialize', 'session/load', 'session/prompt'],
      { title: 'Run it', earlier: requestsIn(first)[0]?.ref },
      { acp: { kept: [requestsIn(first)[0]?.ref] } },
    ]);
    const later: readonly Message[] = [
      ...history,
      { role: 'model', content: again.content },
      {
        role: 'tool',
        content: [
          { type: 'tool-response', ref: request!.ref, name: 'agent_permission', output: 'no', isError: true },
        ],
      },
    ];
    const third = await replyOf(asking().model(), requestOf(later, TOOLS));
    expect(requestsIn(third)[0]?.input).not.toHaveProperty('earlier', requestsIn(first)[0]?.ref);
  });

  test('is asked about anew where an earlier attempt may have heard the answer', async () => {
    const first = await replyOf(asking().model(), requestOf([text('user', 'go')], TOOLS));
    const agent = asking();
    const history = after(first, [{ option: 'b' }]);
    const again = await replyOf(agent.model(), { ...requestOf(history, TOOLS), attempt: 2 });
    expect([requestsIn(again)[0]?.input, prompts(agent)]).toEqual([
      requestsIn(first)[0]?.input,
      [expect.stringContaining('You may not have received the outcome of these requests')],
    ]);
  });

  test('is told the conversation where it cannot load, and so is the person', async () => {
    const first = await replyOf(asking(false).model(), requestOf([text('user', 'go')], TOOLS));
    const agent = asking(false);
    await replyOf(agent.model(), requestOf(after(first, [{ option: 'b' }]), TOOLS));
    expect([agent.told, prompts(agent)]).toEqual([
      [
        'gemini cannot load its session: starting a new one, with the conversation so far as its first prompt',
      ],
      [expect.stringMatching(/The conversation so far:\n\nUser: go\nYou asked: agent_permission/u)],
    ]);
  });
});
