import type { WireEvent } from '../core/index.js';
import { errorFrom } from '../core/data/error-record.js';
import { HitlError } from '../core/data/errors.js';
import { errorDocumentSchema, wireEventSchema } from '../core/told/schemas.js';
import { ServerEventDecoder } from '../core/told/server-events.js';

/** Maximum number of characters of a refusal to read. */
const MOST_OF_REFUSAL = 64_000;

/**
 * Yields the validated messages of a response until it ends or the connection is lost.
 * @throws HitlError with the server's code, or BAD_INPUT for anything other than an event stream.
 */
export async function* wireEvents(response: Response): AsyncGenerator<WireEvent, void, undefined> {
  if (!response.ok) throw await refusalOf(response);
  const type = response.headers.get('content-type') ?? '';
  if (!/^text\/event-stream\b/iu.test(type) || response.body === null) {
    await response.body?.cancel();
    throw strange(`the response is ${type === '' ? 'of no type' : type.slice(0, 80)}`);
  }
  const decoder = new ServerEventDecoder(() => strange('a message is too long'));
  for await (const bytes of bytesOf(response.body)) {
    for (const { data } of decoder.take(bytes)) yield readWireEvent(data);
  }
}

/** Yields the bytes of a body until it ends or the connection is lost. */
async function* bytesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const step = await reader.read().catch(() => undefined); // a line that broke is one that ended
      if (step === undefined || step.done) return;
      yield step.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it is broken already
  }
}

function readWireEvent(data: string): WireEvent {
  let value: unknown;
  try {
    value = JSON.parse(data);
    const read = wireEventSchema.safeParse(value);
    if (read.success) return read.data;
  } catch (cause) {
    throw strange('a message is not JSON', cause); // or too deep to be read
  }
  throw strange('a message is not an event');
}

/**
 * Returns the error that the server sent. If it sent none, returns an error that contains no text from the
 * body.
 */
async function refusalOf(response: Response): Promise<HitlError> {
  const text = response.body === null ? '' : await beginningOf(response.body);
  const status = `the server answered with ${response.status}`;
  try {
    const read = errorDocumentSchema.safeParse(JSON.parse(text));
    if (read.success) return errorFrom(read.data.error, new Error(status));
  } catch {
    // it is no JSON: the status says what there is to say
  }
  return new HitlError('BAD_INPUT', status);
}

async function beginningOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of bytesOf(body)) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MOST_OF_REFUSAL) return '';
  }
  return text;
}

function strange(what: string, cause?: unknown): HitlError {
  return new HitlError('BAD_INPUT', `${what}: this is not an event stream`, {
    hint: 'the server must respond with `toResponse(…)`',
    ...(cause !== undefined && { cause }),
  });
}
