import type * as z from 'zod';
import { HitlError, parseStrictJson } from '../core/index.js';

/** A request, with the maximum number of body bytes to read. */
interface Body {
  readonly request: Request;
  readonly mostBytes: number;
}

/**
 * Reads a body as text.
 * @throws HitlError BAD_INPUT if it is too large or not text.
 */
export async function textOf({ request, mostBytes }: Body): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [text, bytes] = ['', 0];
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.length;
      if (bytes > mostBytes)
        throw new HitlError('BAD_INPUT', `request body too large: at most ${mostBytes} bytes`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (cause) {
    if (cause instanceof TypeError) throw new HitlError('BAD_INPUT', 'the request is not text', { cause });
    throw cause;
  }
}

/**
 * Parses and validates a JSON body.
 * @throws HitlError BAD_INPUT
 */
export async function jsonOf<Value>(body: Body, schema: z.ZodType<Value>): Promise<Value> {
  const type = body.request.headers.get('content-type') ?? '';
  if (!/^application\/json\b/iu.test(type))
    throw new HitlError('BAD_INPUT', 'the request must be application/json');
  const read = parseStrictJson(await textOf(body));
  if (!read.ok) throw new HitlError('BAD_INPUT', `the request is not JSON: ${read.message}`);
  return fitting(read.value, schema);
}

/**
 * Parses a form body.
 * @throws HitlError BAD_INPUT
 */
export async function formOf(body: Body): Promise<URLSearchParams> {
  const type = body.request.headers.get('content-type') ?? '';
  if (/^application\/x-www-form-urlencoded\b/iu.test(type)) return new URLSearchParams(await textOf(body));
  throw new HitlError('BAD_INPUT', 'the request must be a form');
}

/**
 * Validates an untrusted value.
 * @throws HitlError BAD_INPUT
 */
export function fitting<Value>(value: unknown, schema: z.ZodType<Value>): Value {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const lines = read.error.issues.map(({ path, message }) =>
    [path.map(String).join('.'), message].filter((text) => text !== '').join(': '),
  );
  throw new HitlError('BAD_INPUT', `invalid request: ${lines.slice(0, 5).join('; ')}`);
}
