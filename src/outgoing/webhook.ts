// Invariants:
// W1 A body is signed as Standard Webhooks says, over its name, the time and the very bytes that are sent.
// W2 No output of a tool, and nothing that a body keeps for itself, is in it.
// W3 A body has a size that receivers take: what is too large for it is left out, and the body says what.
import { createHmac } from 'node:crypto';

import type { Interrupt, JsonObject } from '../core/index.js';
import { actorName, HitlError, isJsonObject, safeJson, withoutKept } from '../core/index.js';
import { answerCommand, oneLineOf } from '../human/index.js';
import type { Channel, Message } from './channel.js';
import { outcomeOf } from './send-outcome.js';
import type { Post } from './post.js';

/** A receiver of signed requests. */
export interface WebhookOptions {
  readonly name: string;
  readonly url: string;
  /** In the receivers' form, `whsec_…`. With several, each signs, so that a new one can be introduced. */
  readonly secrets: readonly string[];
  readonly tellsResolved: boolean;
  /** Private addresses that may be connected to. */
  readonly allow: readonly string[];
}

/** Makes a receiver of webhooks. @throws HitlError BAD_CONFIG for a secret that cannot sign */
export function webhookChannel(options: WebhookOptions, post: Post): Channel {
  const { name, url, tellsResolved, allow } = options;
  const keys = options.secrets.map((secret) => keyOf(secret, name));
  return {
    name,
    tellsResolved,
    send: async (message) => {
      const body = bodyOf(message);
      return outcomeOf(await post({ url, body, allow, headers: signedHeaders(message, body, keys) }));
    },
  };
}

/** The headers of a body. `at` is in milliseconds. (W1) */
function signedHeaders(
  { id, at }: Pick<Message, 'id' | 'at'>,
  body: string,
  keys: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'hitl',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** Least and most bytes of a key, from Standard Webhooks. */
const KEY = { least: 24, most: 64 } as const;

/** The key of a secret. @throws HitlError BAD_CONFIG */
export function keyOf(secret: string, channel: string): Uint8Array {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret)?.[1];
  const key = text === undefined ? undefined : Buffer.from(text, 'base64');
  if (key !== undefined && key.length >= KEY.least && key.length <= KEY.most) return key;
  throw new HitlError('BAD_CONFIG', `channel \`${channel}\`: the secret is not a Standard Webhooks secret`, {
    hint: 'create one: echo "whsec_$(openssl rand -base64 32)"',
  });
}

/** Bytes of a body: receivers commonly take 256 kB. */
const LARGEST = 200_000;

/** The text of a body (W3). */
function bodyOf(message: Message): string {
  const { data: whole, ...head } = documentOf(message);
  let data = whole;
  const leftOut: string[] = [];
  for (;;) {
    const body = safeJson({ ...head, data: { ...data, ...(leftOut.length > 0 && { leftOut }) } });
    const [largest] = Object.entries(data)
      .filter(([name]) => !KEPT.has(name))
      .map(([name, part]) => ({ name, size: safeJson(part).length }))
      .sort((one, other) => other.size - one.size);
    if (Buffer.byteLength(body) <= LARGEST || largest === undefined) return body;
    leftOut.push(largest.name);
    data = Object.fromEntries(Object.entries(data).filter(([name]) => name !== largest.name));
  }
}

/** The parts of a body that name the question. */
const KEPT: ReadonlySet<string> = new Set([
  'session',
  'title',
  'asked',
  'answer',
  'page',
  'id',
  'kind',
  'digest',
  'resolved',
]);

/** A message's body: the question like `hitl inbox --json`, with its text and page. */
function documentOf({ event, at, item, page, resolved }: Message): {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
} {
  const { session, title, interrupt, votes } = item;
  return {
    type: event,
    timestamp: new Date(at).toISOString(),
    data: {
      session,
      title,
      asked: oneLineOf(interrupt),
      answer: answerCommand(session, interrupt),
      ...(page !== undefined && { page }),
      ...toldInterrupt(interrupt),
      ...(votes !== undefined && { votes }),
      ...(resolved !== undefined && {
        resolved: {
          action: resolved.resolution.action,
          by: actorName(resolved.by),
          at: resolved.resolvedAt,
        },
      }),
    },
  };
}

/** Returns an interrupt's public form (W2): a node's output and state stay on this machine. */
function toldInterrupt(interrupt: Interrupt): object {
  const shown = withoutKept(interrupt);
  if (shown.source.type !== 'node' || !isJsonObject(shown.payload)) return shown;
  const { output: _output, state: _state, ...payload }: JsonObject = shown.payload;
  return { ...shown, payload };
}
