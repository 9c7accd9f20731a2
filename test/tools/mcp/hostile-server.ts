import { vi } from 'vitest';

import type { JsonObject, JsonValue, Tool, ToolContext } from '../../../src/core/index.js';
import type { McpServer } from '../../../src/tools/mcp/index.js';
import { SCENE } from '../../helpers/scene.js';

/** What a server says to a request: its result or error, the lines of a stream, which may hold anything, or nothing ever. */
export type Said =
  | { readonly result: JsonObject }
  | { readonly error: JsonObject }
  | { readonly status: number }
  | { readonly stream: readonly JsonValue[] }
  | 'nothing';

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

/**
 * Puts a server of an older kind at an address that only this process knows; what it was told, message by message.
 * @param changes what its stream of changes says, before it ends. Default: it has none.
 */
export function hostileServer(
  answers: Answers,
  changes?: readonly JsonValue[],
): { readonly told: JsonObject[] } {
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
    if (init?.method !== 'POST')
      return changes === undefined ? new Response(null, { status: 405 }) : streamOf(changes);
    const message = JSON.parse(init.body as string) as JsonObject;
    told.push(message);
    const { method, id, params = {} } = message;
    if (id === undefined || typeof method !== 'string') return new Response(null, { status: 202 });
    const answer = all[method];
    const said = typeof answer === 'function' ? await answer(params as JsonObject, id) : answer;
    if (said === undefined) return json({ jsonrpc: '2.0', id: id!, error: { code: -32601, message: 'no' } });
    if (said === 'nothing') return new Promise(() => undefined);
    if ('error' in said) return json({ jsonrpc: '2.0', id: id!, error: said.error });
    if ('status' in said) return new Response('Session not found', { status: said.status });
    if ('result' in said) return json({ jsonrpc: '2.0', id: id!, result: said.result });
    return streamOf(said.stream);
  });
  return { told };
}

function streamOf(lines: readonly JsonValue[]): Response {
  const text = lines.map((line) => `event: message\ndata: ${JSON.stringify(line)}\n\n`).join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

/** The answer of a server of 2026-07-28 to the question what it is. */
export const MODERN: Said = {
  result: {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'evil', version: '1' },
    ttlMs: 0,
    cacheScope: 'private',
  },
};

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
