import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { SCENE } from '../../helpers/scene.js';
import type { JsonValue, SessionId, Tool, ToolContext, ToolResult } from '../../../src/core/index.js';
import { isOutcomeUnknown, toolDigest } from '../../../src/core/index.js';
import { openChat, openStore } from '../../../src/index.js';
import { createTheme, transcriptText } from '../../../src/render/index.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { answers } from '../../../src/tools/index.js';
import type { McpServers } from '../../../src/tools/mcp/index.js';
import { everything, hasEverything, runningServers } from '../../helpers/everything.js';

let servers: McpServers & { readonly told: string[] };

describe.skipIf(!hasEverything)('with server-everything', () => {
  beforeAll(async () => {
    process.env['HITL_TEST_SECRET'] = 'sk-ant-not-for-servers';
    servers = await runningServers([everything()], { root: '/' });
  });
  afterAll(async () => {
    delete process.env['HITL_TEST_SECRET'];
    await servers[Symbol.asyncDispose]();
  });

  function toolNamed(name: string, from = servers): Tool {
    const tool = from.tools.find((one) => one.name === `everything__${name}`);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  }

  function contextOf(lines: string[] = [], signal = new AbortController().signal): ToolContext {
    return {
      ...SCENE,
      signal,
      ref: 't1' as ToolContext['ref'],
      idempotencyKey: 'k',
      attempt: 1,
      interrupt: () => {
        throw new Error('nobody is asked');
      },
      progress: (line) => void lines.push(line),
    };
  }

  const call = (name: string, input: JsonValue): Promise<JsonValue | ToolResult> =>
    toolNamed(name).execute(input, contextOf());

  describe('the tools of server-everything', () => {
    test('are offered by the name of the server, and the one that runs as a task is left out and told', () => {
      expect(servers.tools.map(({ name }) => name)).toContain('everything__echo');
      expect(servers.tools.map(({ name }) => name)).not.toContain('everything__simulate-research-query');
      expect(servers.told).toEqual([
        'everything: tool `simulate-research-query` skipped: it requires MCP tasks, which are not supported',
      ]);
    });

    test('have the hints of the server in what they are, so that a changed hint is another tool', () => {
      const tool = toolNamed('get-env');
      expect(tool.mcp).toMatchObject({ server: 'everything', tool: 'get-env', readOnly: true });
      expect(toolDigest(tool)).not.toBe(toolDigest({ ...tool, mcp: { ...tool.mcp!, readOnly: false } }));
      expect(toolDigest(tool)).not.toBe(toolDigest({ ...tool, description: 'another' }));
      expect(toolDigest(tool)).not.toBe(toolDigest({ ...tool, mcp: { ...tool.mcp!, reached: 'another' } }));
    });

    test('ask before each call, also those that call themselves read-only, and have lasting effects', async () => {
      const inputs = new Map<string, JsonValue>([
        ['everything__echo', { message: 'hi' }],
        ['everything__get-sum', { a: 1, b: 2 }],
      ]);
      for (const tool of servers.tools) {
        const input = inputs.get(tool.name);
        expect([tool.name, tool.approval === undefined]).toEqual([tool.name, false]);
        if (input !== undefined)
          expect(await tool.approval?.(input, new AbortController().signal, SCENE)).toMatchObject({
            facts: { server: expect.stringContaining('server-everything') },
          });
        expect(tool.effect).toBe('once');
      }
    });

    test('have a title that begins with the name that the person gave the server', async () => {
      expect(await toolNamed('get-sum').title?.({ a: 2, b: 40 })).toBe(
        'everything: Get Sum Tool (a: 2, b: 40)',
      );
    });
  });

  describe('a call of server-everything', () => {
    test.for([
      ['echo', { message: 'hi' }, { output: 'Echo: hi' }],
      ['get-sum', { a: 2, b: 40 }, { output: 'The sum of 2 and 40 is 42.' }],
      [
        'get-structured-content',
        { location: 'New York' },
        { output: { temperature: 33, conditions: 'Cloudy', humidity: 82 } },
      ],
      ['get-annotated-message', { messageType: 'error' }, { output: 'Error: Operation failed' }],
    ] as const)('%s gives its output', async ([name, input, result]) => {
      expect(await call(name, input)).toEqual(result);
    });

    test('gives an image as a part beside the words', async () => {
      const result = await call('get-tiny-image', {});
      expect(result).toMatchObject({
        content: [
          { type: 'media', contentType: 'image/png', url: expect.stringMatching(/^data:image\/png;base64,/) },
        ],
      });
    });

    test('gives links as words that nothing follows', async () => {
      const { output } = (await call('get-resource-links', { count: 2 })) as ToolResult;
      expect(JSON.stringify(output).match(/\]\(demo:\/\/resource/g)).toHaveLength(2);
    });

    test('gives a resource with its text', async () => {
      const { output } = (await call('get-resource-reference', {
        resourceType: 'Text',
        resourceId: 1,
      })) as ToolResult;
      expect(output).toContain('demo://resource/dynamic/text/1');
    });

    test('shows no variable of ours: a key of the environment is not passed on', async () => {
      const { output } = (await call('get-env', {})) as ToolResult;
      expect(output).toContain('PATH');
      expect(output).not.toContain('sk-ant-not-for-servers');
    });

    test('is told the folder of the project, and no other', async () => {
      const { output } = (await call('get-roots-list', {})) as ToolResult;
      expect(output).toContain('file:///');
    });

    test('fails with the words of the server where its input is wrong', async () => {
      const tool = toolNamed('get-sum');
      expect(await tool.parseInput({ a: 'two' })).toMatchObject({ ok: false });
      await expect(call('get-annotated-message', { messageType: 'unknown' })).rejects.toThrow();
    });

    test('tells its progress', async () => {
      const lines: string[] = [];
      await toolNamed('trigger-long-running-operation').execute(
        { duration: 0.3, steps: 3 },
        contextOf(lines),
      );
      expect(lines.slice(0, 2)).toEqual(['1 of 3', '2 of 3']);
    });

    test('stops with the reason of the person who stops it', async () => {
      const stop = new AbortController();
      const running = toolNamed('trigger-long-running-operation').execute(
        { duration: 20, steps: 2 },
        contextOf([], stop.signal),
      );
      stop.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
    });
  });

  describe('a call of a server', () => {
    test('that does not answer in time is unknown, and no failure', async () => {
      await using slow = await runningServers([everything({ timeoutMs: 200 })]);
      const lines: string[] = [];
      const running = toolNamed('trigger-long-running-operation', slow).execute(
        { duration: 30, steps: 1 },
        contextOf(lines),
      );
      const thrown: unknown = await running.catch((error: unknown) => error);
      expect(isOutcomeUnknown(thrown)).toBe(true);
      expect(lines).toEqual(['server `everything` did not answer in time']);
    });

    test('that is killed while it runs is unknown, and the next call finds a new server', async () => {
      await using killed = await runningServers([everything()]);
      const lines: string[] = [];
      const running = toolNamed('trigger-long-running-operation', killed).execute(
        { duration: 30, steps: 1 },
        contextOf(lines),
      );
      const failed = running.catch((error: unknown) => error);
      const { pid } = killed.connections[0]!;
      process.kill(pid!, 'SIGKILL');
      expect(isOutcomeUnknown(await failed)).toBe(true);
      expect(lines).toEqual(['server `everything` ended during the call']);
      const echo = toolNamed('echo', killed);
      expect(await echo.parseInput({ message: 'again' })).toMatchObject({ ok: true });
      expect(await echo.execute({ message: 'again' }, contextOf())).toEqual({ output: 'Echo: again' });
      expect(killed.connections[0]!.pid).not.toBe(pid);
    });

    test('leaves no process behind when the run has ended', async () => {
      const ended = await runningServers([everything()]);
      const { pid } = ended.connections[0]!;
      await ended[Symbol.asyncDispose]();
      expect(() => process.kill(pid!, 0)).toThrow('ESRCH');
    });
  });

  describe('a server that asks in the middle of a call', () => {
    test('is told that nobody answered where nobody is there, and so is the person', async () => {
      const { output } = (await call('trigger-elicitation-request', {})) as ToolResult;
      expect(output).toMatch(/cancel/iu);
      expect(servers.told.at(-1)).toBe(
        'server `everything` asked a question but no one was available to answer: Please provide inputs for the following fields:',
      );
    });

    test('gets the answer of the person who is there', async () => {
      const asked: string[] = [];
      await using answered = await runningServers([everything()], {
        ask: (question, tool) => {
          asked.push(`${tool}: ${JSON.stringify(question.payload['message'])}`);
          return Promise.resolve({ name: 'Ann' });
        },
      });
      const tool = toolNamed('trigger-elicitation-request', answered);
      const { output } = (await tool.execute({}, contextOf())) as ToolResult;
      expect(output).toContain('Ann');
      expect(asked).toEqual([
        'everything__trigger-elicitation-request: "Please provide inputs for the following fields:"',
      ]);
    });

    test('has what a person told it in the journal before it has it itself (7b)', async () => {
      const store = openStore();
      const model = scriptedModel([
        { tools: [{ name: 'everything__trigger-elicitation-request', input: {} }] },
        'Done.',
      ]);
      const journal: string[] = [];
      const typesOf = async (id: SessionId): Promise<readonly string[]> => {
        await using read = await store.open(id, 'read');
        const types: string[] = [];
        for await (const { event } of read.events()) types.push(event.type);
        return types.filter((type) => /^(?:tool|interrupt)-/u.test(type));
      };
      await using answered = await runningServers([everything()], {
        ask: async () => {
          journal.push((await typesOf(chat.id)).join(' '));
          return { name: 'Ann' };
        },
      });
      const chat = await openChat({ store, model, tools: answered.tools });
      await chat.say('Go');
      const [approval] = chat.open;
      await chat.answer(answers.restart(approval!));
      await chat.close();
      await using session = await store.open(chat.id, 'read');
      const decided = session.state.resolved.toArray();
      expect(journal).toEqual(['interrupt-raised interrupt-resolved tool-started interrupt-raised']);
      expect((await typesOf(chat.id)).slice(-3)).toEqual([
        'interrupt-raised',
        'interrupt-resolved',
        'tool-settled',
      ]);
      expect(decided.at(-1)).toMatchObject({
        interrupt: { id: 'i2', atOnce: true, source: { name: 'everything__trigger-elicitation-request' } },
        resolution: { action: 'respond', output: { name: 'Ann' } },
        by: { name: 'ann' },
      });
      expect(transcriptText(session.state, { theme: createTheme({ colour: false }), columns: 80 })).toMatch(
        /answered by ann at the terminal.*\n +name: "Ann"\n/u,
      );
    });

    test('is told that a person declines, at an address too', async () => {
      await using declined = await runningServers([everything()], { ask: () => Promise.resolve(undefined) });
      const tool = toolNamed('trigger-url-elicitation', declined);
      const input = { url: 'https://example.org/agree', message: 'Agree there.' };
      const { output } = (await tool.execute(input, contextOf())) as ToolResult;
      expect(output).toMatch(/declin/iu);
    });

    test('cannot ask our model: its tool for that is not even offered', () => {
      expect(servers.tools.map(({ name }) => name)).not.toContain('everything__trigger-sampling-request');
    });
  });
});

test('a server that is not there is told once, with what to look at', async () => {
  await using none = await runningServers([
    { type: 'stdio', name: 'gone', from: '--mcp', command: 'no-such-program', args: [], env: {}, cwd: '/' },
  ]);
  expect(none.tools).toEqual([]);
  expect(none.told).toEqual(['server `gone` is unreachable: spawn no-such-program ENOENT']);
});
