import { safeJson } from '../core/index.js';

// Invariants:
// J1 JSON of the server has nothing raw in it that a terminal obeys or hides: it is read with `curl`, too. This file
//    writes all of it, with `hitl/web`, by the serializer of `--json`.

/** Creates a JSON response. */
export function jsonResponse(
  value: unknown,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  return new Response(safeJson(value), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Formats a message for server-sent events. JSON does not contain line breaks. */
export function eventMessage(value: unknown): string {
  return `data: ${safeJson(value)}\n\n`;
}

/** Creates the response for a request that the server itself refuses. */
export function refusal(
  status: number,
  code: string,
  message: string,
  {
    headers,
    ...more
  }: {
    readonly hint?: string;
    readonly first?: object;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Response {
  return jsonResponse({ error: { code, message, ...more } }, { status, ...(headers && { headers }) });
}
