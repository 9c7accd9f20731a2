import { describe, expect, test } from 'vitest';

import type { JsonValue, Tool, ToolResult } from '../../src/core/index.js';
import { hasLoneSurrogate, sha256 } from '../../src/core/index.js';
import type { GuardOptions } from '../../src/tools/index.js';
import { defineTool, guardOutput } from '../../src/tools/index.js';
import { contextOf } from './run-tool.js';

const KEY = 'sk-ant-0123456789abcdefghij';

function toolOf(body: () => unknown, members: Partial<Tool> = {}): Tool {
  const tool = defineTool(
    { name: 'read', description: 'Reads.', input: { type: 'object' } },
    () => body() as JsonValue,
  );
  return { ...tool, ...members };
}

const nothingKept: GuardOptions['keep'] = () => Promise.resolve(undefined);

function guard(tool: Tool, options: Partial<GuardOptions> = {}): Tool {
  return guardOutput(tool, { secrets: [], keep: nothingKept, ...options });
}

function run(tool: Tool, said: string[] = []): Promise<JsonValue | ToolResult> {
  return tool.execute({}, contextOf({ progress: (text) => void said.push(text) }));
}

describe('G33 a guarded tool', () => {
  test('returns no key and no configured secret, says how many, and keeps the count', async () => {
    const said: string[] = [];
    const tool = guard(
      toolOf(() => ({ env: [KEY, 'TOKEN=correct-horse'] })),
      { secrets: ['correct-horse'] },
    );
    expect(await run(tool, said)).toEqual({
      output: { env: ['[redacted]', 'TOKEN=[redacted]'] },
      metadata: { masked: 2 },
    });
    expect(said).toEqual(['2 secrets masked in the output of read']);
  });

  test('a guarded tool tells no key in its progress, and keeps what else its body is given', async () => {
    const said: string[] = [];
    const given: unknown[] = [];
    const tool = defineTool(
      { name: 'read', description: 'Reads.', input: { type: 'object' } },
      (_input, context) => {
        context.progress(`found ${KEY}`);
        given.push(context.resumed, context.ref, context.signal.aborted);
        return 'ok';
      },
    );
    const context = contextOf({ resumed: { by: 'ann' }, progress: (text) => void said.push(text) });
    await guard(tool).execute({}, context);
    expect(said).toEqual(['found [redacted]']);
    expect(given).toEqual([{ by: 'ann' }, context.ref, false]);
  });

  test('changes nothing where there is nothing to mask', async () => {
    const said: string[] = [];
    expect(await run(guard(toolOf(() => [0, '', false, null])), said)).toEqual({
      output: [0, '', false, null],
    });
    expect(said).toEqual([]);
  });

  test('masks the content of a multipart tool, and keeps its metadata', async () => {
    const body = () => ({ output: 'x', content: [{ type: 'text', text: KEY }], metadata: { page: 1 } });
    expect(await run(guard(toolOf(body, { multipart: true })))).toEqual({
      output: 'x',
      content: [{ type: 'text', text: '[redacted]' }],
      metadata: { page: 1, masked: 1 },
    });
  });

  test('throws no key either', async () => {
    const tool = guard(
      toolOf(() => {
        throw new Error(`401 for ${KEY}`);
      }),
    );
    await expect(run(tool)).rejects.toThrow('401 for [redacted]');
  });

  test('throws anything else as it was thrown', async () => {
    const thrown = new Error('no money');
    const tool = guard(
      toolOf(() => {
        throw thrown;
      }),
    );
    await expect(run(tool)).rejects.toBe(thrown);
  });
});

describe('G8 an output that is too large', () => {
  test('is kept whole, and its beginning stands in its place', async () => {
    const kept: string[] = [];
    const keep: GuardOptions['keep'] = (text, digest) => {
      kept.push(text);
      return Promise.resolve(`output-${digest}.json`);
    };
    const whole = 'a'.repeat(5000);
    const tool = guard(
      toolOf(() => whole),
      { keep, largest: 4000 },
    );
    const text = JSON.stringify({ output: whole });
    const result = (await run(tool)) as ToolResult;
    expect(kept).toEqual([text]);
    expect(result).toEqual({
      output: expect.stringMatching(
        /^a{2000}\n\[the output is 5013 bytes long, more than 4000; .+\]$/u,
      ) as string,
      metadata: { kept: { bytes: 5013, sha256: sha256(text), file: `output-${sha256(text)}.json` } },
    });
  });

  test('fits whatever schema the tool has, and nothing else does', async () => {
    const tool = guard(
      toolOf(() => ({ rows: Array.from({ length: 999 }, (_, row) => row) }), {
        parseOutput: () => ({ ok: false, issues: ['never'] }),
      }),
      { largest: 1000 },
    );
    const { output } = (await run(tool)) as ToolResult;
    expect(output).toMatchObject({ head: expect.stringMatching(/^\{"rows":\[0,1,2,/u) as string });
    expect(await tool.parseOutput(output)).toEqual({ ok: true, value: output });
    expect(await tool.parseOutput({ head: 'x', note: 'y' })).toEqual({ ok: false, issues: ['never'] });
  });

  test('counts bytes, not characters', async () => {
    const tool = guard(
      toolOf(() => '€'.repeat(400)),
      { largest: 1000 },
    );
    expect(await run(tool)).toMatchObject({ metadata: { kept: { bytes: 1213 } } });
  });

  test('cuts no character in half', async () => {
    const tool = guard(
      toolOf(() => `a${'😀'.repeat(3000)}`),
      { largest: 1000 },
    );
    const { output } = (await run(tool)) as ToolResult;
    expect(hasLoneSurrogate(output)).toBe(false);
  });
});
