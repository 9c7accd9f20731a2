import * as z from 'zod';

import { HitlError, isJsonObject } from '../../src/core/index.js';
import type { Channel, Post } from '../../src/outgoing/index.js';
import { rangesProblem, webhookChannel } from '../../src/outgoing/index.js';
import type { Config } from '../config/index.js';
import type { Io } from '../host/index.js';
import { hiddenSchema, secretAt } from './hidden-value.js';

const allow = z
  .array(z.string())
  .default([])
  .refine((ranges) => rangesProblem(ranges) === undefined, {
    error: 'must list addresses and ranges such as 10.1.0.0/16',
  });

/** An address that is no secret, or the place of one that is. */
const addressSchema = z.unknown().transform((given, context) => {
  const read = hiddenSchema.safeParse(given);
  if (read.success) return read.data;
  if (typeof given === 'string' && URL.canParse(given) && /^https?:$/u.test(new URL(given).protocol))
    return given;
  const message = 'must be an address that begins with https://, or { "env": "NAME" } where it is a secret';
  context.issues.push({ code: 'custom', message, input: undefined });
  return z.NEVER;
});

const webhookSchema = z.strictObject({
  type: z.literal('webhook'),
  url: addressSchema,
  secret: z.preprocess((given) => [given].flat(), z.array(hiddenSchema).min(1).max(4)),
  resolved: z.boolean().default(false),
  allow,
});

const channelSchema = z.discriminatedUnion('type', [webhookSchema], {
  error: '`type` must be webhook',
});

const NAME = /^[\w-]{1,32}$/u;

/** The receivers that a configuration names. @throws HitlError BAD_CONFIG for one that cannot be used as it is */
export function configuredChannels(
  io: Pick<Io, 'env' | 'cwd' | 'home'>,
  { channels }: Pick<Config, 'channels'>,
  post: Post,
): readonly Channel[] {
  if (!isJsonObject(channels)) return [];
  return Object.entries(channels).map(([name, entry]) => {
    if (!NAME.test(name)) throw unusable(name, 'a name is 1 to 32 letters, digits, `-` or `_`');
    const read = channelSchema.safeParse(entry);
    if (!read.success) throw unusable(name, issuesOf(read.error));
    const { url, secret, resolved, allow: listed } = read.data;
    const what = `the channel \`${name}\``;
    return webhookChannel(
      {
        name,
        url: typeof url === 'string' ? url : secretAt(io, url, `the address of ${what}`),
        secrets: secret.map((one) => secretAt(io, one, `the secret of ${what}`)),
        tellsResolved: resolved,
        allow: listed,
      },
      post,
    );
  });
}

function issuesOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) =>
      [path.map(String).join('.'), message].filter((text) => text !== '').join(': '),
    )
    .join('; ');
}

function unusable(name: string, why: string): HitlError {
  return new HitlError('BAD_CONFIG', `the channel \`${name}\` cannot be used: ${why}`, {
    hint: '{ "type": "webhook", "url": "https://…", "secret": { "env": "NAME" } }; see the guide on hitl serve',
  });
}
