import { vi } from 'vitest';

import type { JsonObject, JsonValue, Tool, ToolContext } from '../../../src/core/index.js';
import type { McpServer } from '../../../src/tools/mcp/index.js';
import { SCENE } from '../../helpers/scene.js';

/** What a server says to a request: its result, the lines of a stream, which may hold anything, or nothing ever. */
export type Said = { readonly result: JsonObject } | { readonly stream: readonly JsonValue[] } | 'nothing';

/** The answers of a server by method; a function is given the parameters and the id of the request. */
export type Answers = Readonly<
  Record<string, Said | ((params: JsonObject, id: JsonValue) => Said | Promise<Said>)>
>;

export const HOSTILE: McpServer = {
  type: 'http',
  name: 'evil',
  from: '--mcp',
  url: 'http://evil.test/mcp',
  headers: {},
};

/** Puts a server of an older kind at an address that only this process knows; what it was told, message by message. */
export function hostileServer(answers: Answers): { readonly told: JsonObject[] } {
  const told: JsonObject[] = [];
  const all: Answers = {
    initialize: {
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'evil', version: '1' },
      },
    },
    'tools/list': toolsOf({ name: 'go', inputSchema: { type: 'object' } }),
    ...answers,
  };
  vi.stubGlobal('fetch', async (_url: unknown, init?: RequestInit) => {
    if (init?.method !== 'POST') return new Response(null, { status: 405 });
    const message = JSON.parse(init.body as string) as JsonObject;
    told.push(message);
    const { method, id, params = {} } = message;
    if (id === undefined || typeof method !== 'string') return new Response(null, { status: 202 });
    const answer = all[method];
    const said = typeof answer === 'function' ? await answer(params as JsonObject, id) : answer;
    if (said === undefined) return json({ jsonrpc: '2.0', id: id!, error: { code: -32601, message: 'no' } });
    if (said === 'nothing') return new Promise(() => undefined);
    if ('result' in said) return json({ jsonrpc: '2.0', id: id!, result: said.result });
    const text = said.stream.map((line) => `event: message\ndata: ${JSON.stringify(line)}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  });
  return { told };
}

function json(value: JsonValue): Response {
  return new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } });
}

/** The list of such tools. */
export function toolsOf(...tools: readonly JsonObject[]): Said {
  return { result: { tools: [...tools] } };
}

/** A result of words. */
export function words(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

/** Calls a tool; what it gives, or what it throws. */
export async function callTool(
  tool: Tool,
  lines: string[] = [],
  signal = new AbortController().signal,
): Promise<unknown> {
  const context: ToolContext = {
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
  return Promise.resolve(tool.execute({}, context)).catch((thrown: unknown) => thrown);
}
