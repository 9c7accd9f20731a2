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

/** Options for a receiver of signed requests. */
export interface WebhookOptions {
  readonly name: string;
  readonly url: string;
  /**
   * Secrets in Standard Webhooks format, `whsec_…`. If there are several, the request is signed with each of
   * them, so that secrets can be rotated.
   */
  readonly secrets: readonly string[];
  readonly tellsResolved: boolean;
  /** Private addresses to which connections are allowed. */
  readonly allow: readonly string[];
}

/**
 * Creates a webhook receiver.
 * @throws HitlError BAD_CONFIG for a secret that cannot be used for signing
 */
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

/** Returns the headers of a signed request (W1). `at` is in milliseconds. */
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

/** Minimum and maximum length of a key in bytes, from Standard Webhooks. */
const KEY = { least: 24, most: 64 } as const;

/**
 * Returns the key encoded in a secret.
 * @throws HitlError BAD_CONFIG
 */
export function keyOf(secret: string, channel: string): Uint8Array {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret)?.[1];
  const key = text === undefined ? undefined : Buffer.from(text, 'base64');
  if (key !== undefined && key.length >= KEY.least && key.length <= KEY.most) return key;
  throw new HitlError('BAD_CONFIG', `channel \`${channel}\`: the secret is not a Standard Webhooks secret`, {
    hint: 'create one: echo "whsec_$(openssl rand -base64 32)"',
  });
}

/** Maximum size of a body in bytes. Receivers commonly accept 256 kB. */
const LARGEST = 200_000;

/** Returns the body as JSON (W3). If it is too large, its largest parts are left out. */
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

/** Properties that are never left out of a body, because they identify the question. */
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

/**
 * Returns the body of a message: the question as in `hitl inbox --json`, plus its one-line text and the URL
 * of its page.
 */
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

/**
 * Returns the parts of an interrupt that may be sent (W2). A node's output and state never leave this
 * machine.
 */
function toldInterrupt(interrupt: Interrupt): object {
  const shown = withoutKept(interrupt);
  if (shown.source.type !== 'node' || !isJsonObject(shown.payload)) return shown;
  const { output: _output, state: _state, ...payload }: JsonObject = shown.payload;
  return { ...shown, payload };
}
