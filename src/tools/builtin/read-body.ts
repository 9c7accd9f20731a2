import type { IncomingMessage } from 'node:http';
import { TextDecoder } from 'node:util';

import { unpacked } from './http-get.js';

/** Maximum number of bytes to read from a response. */
const MAX_BYTES = 1024 * 1024;
/** Maximum length of text for the model, in characters. */
const MAX_CHARACTERS = 100_000;

const TEXT =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-ndjson|yaml|x-yaml|toml)\b|[^;]*\+(json|xml)\b)/;

/** The text of a response, or a note that explains why there is none. */
export interface Body {
  readonly contentType: string;
  readonly body: string;
  /** Number of characters omitted at the end, counting only those that were read. */
  readonly omittedCharacters?: number;
  readonly note?: string;
}

/** Reads the body of a response up to a limit. Content that is not text is not read. */
export async function readBody(response: IncomingMessage, signal: AbortSignal): Promise<Body> {
  const contentType = response.headers['content-type'] ?? '';
  if (contentType !== '' && !TEXT.test(contentType.toLowerCase()))
    return { contentType, body: '', note: 'not read: not text' };
  const stream = unpacked(response);
  if (stream === undefined) return { contentType, body: '', note: 'not read: unknown compression' };
  const { bytes, cut } = await readBytes(stream, signal);
  if (bytes.subarray(0, 8192).includes(0)) return { contentType, body: '', note: 'not read: not text' };
  const text = decoderFor(contentType).decode(bytes);
  const omitted = Math.max(text.length - MAX_CHARACTERS, 0);
  return {
    contentType,
    body: text.slice(0, MAX_CHARACTERS),
    ...(omitted > 0 && { omittedCharacters: omitted }),
    ...(cut && { note: `longer than ${MAX_BYTES} bytes; the rest was not read` }),
  };
}

async function readBytes(
  stream: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<{ bytes: Buffer; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the rest.
  for await (const chunk of stream) {
    signal.throwIfAborted();
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) return { bytes: Buffer.concat(chunks).subarray(0, MAX_BYTES), cut: true };
  }
  return { bytes: Buffer.concat(chunks), cut: false };
}

function decoderFor(contentType: string): TextDecoder {
  const charset = /charset="?(?<name>[\w-]+)/i.exec(contentType)?.groups?.['name'] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder(); // A charset that nobody knows; most text is UTF-8.
  }
}
